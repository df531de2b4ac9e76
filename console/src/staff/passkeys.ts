/** Passkeys (WebAuthn): the browser asks its user, and the server checks the result. */
import { staffRequest } from "./staff-requests.ts";

interface Invited {
  readonly name: string;
  readonly role: string;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
}

export function readInvitation(token: string): Promise<Invited> {
  return staffRequest<Invited>("POST", "invitations/options", { token });
}

/** Resolves when the person is signed in. Rejects if the person declines. */
export async function acceptInvitation(token: string): Promise<void> {
  // A challenge is valid for five minutes, so each attempt has its own.
  const { options } = await readInvitation(token);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const passkey = await navigator.credentials.create({ publicKey });
  await staffRequest("POST", "invitations/accept", { token, passkey: responseOf(passkey) });
}

/** Resolves when the person is signed in. Rejects if the person declines. */
export async function signInWithPasskey(): Promise<void> {
  const options = await staffRequest<PublicKeyCredentialRequestOptionsJSON>("POST", "sign-in/options");
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  await staffRequest("POST", "sign-in", responseOf(await navigator.credentials.get({ publicKey })));
}

/** Only on a development machine: an administrator without a passkey. */
export async function signInDeveloper(): Promise<void> {
  await staffRequest("POST", "development-session");
}

/** The person chose no passkey, or waited too long. */
export function hasDeclined(error: unknown): boolean {
  return error instanceof DOMException && ["NotAllowedError", "AbortError"].includes(error.name);
}

function responseOf(credential: Credential | null): object {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException("no passkey", "NotAllowedError");
  return credential.toJSON();
}
