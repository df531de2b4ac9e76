/**
 * Passkeys (WebAuthn Level 3), by the library @simplewebauthn/server. It is loaded at the first use, because no other
 * request of the Worker needs it. A passkey must verify its user, so it is both factors.
 */
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { base64url } from "multiformats/bases/base64";
import type { Passkey } from "./store.ts";
import { CHALLENGE_LIFETIME_MS } from "./challenges.ts";

const library = () => import("@simplewebauthn/server");
/** EdDSA, ES256 and RS256, which all authenticators have. */
const ALGORITHMS = [-8, -7, -257];

/** The site to which passkeys belong: the host of the request. */
function siteOf(url: string): { readonly id: string; readonly origin: string } {
  const { hostname, origin } = new URL(url);
  return { id: hostname, origin };
}

export async function registrationOptions(url: string, challenge: Uint8Array<ArrayBuffer>, name: string, id: string) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: "twinedge",
    rpID: siteOf(url).id,
    userName: name,
    userDisplayName: name,
    userID: new Uint8Array(new TextEncoder().encode(id)),
    challenge,
    timeout: CHALLENGE_LIFETIME_MS,
    attestationType: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

export async function signInOptions(url: string, challenge: Uint8Array<ArrayBuffer>) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: siteOf(url).id,
    challenge,
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: "required",
  });
}

/** `isExpected` checks the challenge that the authenticator signed. The library throws for a malformed response. */
export async function verifyRegistration(
  url: string,
  response: RegistrationResponseJSON,
  isExpected: (challenge: string) => Promise<boolean>,
): Promise<Omit<Passkey, "staffId"> | undefined> {
  const { verifyRegistrationResponse } = await library();
  const { id: expectedRPID, origin: expectedOrigin } = siteOf(url);
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: isExpected,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { credentialId: id, publicKey: base64url.baseEncode(publicKey), counter, transports };
  } catch {
    return undefined;
  }
}

/** The new counter of the passkey; undefined if its response does not prove it. */
export async function verifySignIn(
  url: string,
  response: AuthenticationResponseJSON,
  isExpected: (challenge: string) => Promise<boolean>,
  { credentialId, publicKey, counter, transports }: Passkey,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const { id: expectedRPID, origin: expectedOrigin } = siteOf(url);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: isExpected,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(base64url.baseDecode(publicKey)),
        counter,
        transports: [...transports] as AuthenticatorTransport[],
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
