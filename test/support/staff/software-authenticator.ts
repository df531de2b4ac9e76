/**
 * An authenticator in software: creates a passkey and signs with it as WebAuthn Level 3 describes, with attestation
 * `none` and ES256. Its user always verifies.
 */
import { base64url } from "multiformats/bases/base64";

const UP_UV = 0x05;
const AT = 0x40;

export interface AuthenticatorOptions {
  /** Base64url. */
  readonly challenge: string;
  readonly origin: string;
}

export interface SoftwareAuthenticator {
  create(options: AuthenticatorOptions): Promise<object>;
  sign(options: AuthenticatorOptions): Promise<object>;
}

export async function softwareAuthenticator(): Promise<SoftwareAuthenticator> {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const point = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  const id = crypto.getRandomValues(new Uint8Array(16));
  let counter = 0;

  async function authenticatorData(origin: string, flags: number, attested: readonly number[]): Promise<Uint8Array> {
    counter += 1;
    const count = new Uint8Array(4);
    new DataView(count.buffer).setUint32(0, counter);
    return bytes([...(await sha256(new URL(origin).hostname)), flags, ...count, ...attested]);
  }
  const clientData = (type: string, { challenge, origin }: AuthenticatorOptions) =>
    new TextEncoder().encode(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const shared = { id: text(id), rawId: text(id), type: "public-key", clientExtensionResults: {} };

  return {
    async create(options) {
      const attested = [...new Uint8Array(16), 0, id.length, ...id, ...coseKey(point)];
      const authData = await authenticatorData(options.origin, UP_UV | AT, attested);
      const attestationObject = bytes([
        0xa3,
        ...cborText("fmt"),
        ...cborText("none"),
        ...cborText("attStmt"),
        0xa0,
        ...cborText("authData"),
        ...cborBytes(authData),
      ]);
      const clientDataJSON = text(clientData("webauthn.create", options));
      return {
        ...shared,
        response: { clientDataJSON, attestationObject: text(attestationObject), transports: ["usb"] },
      };
    },
    async sign(options) {
      const client = clientData("webauthn.get", options);
      const authData = await authenticatorData(options.origin, UP_UV, []);
      const signed = bytes([...authData, ...(await sha256(client))]);
      const raw = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, signed);
      const response = {
        clientDataJSON: text(client),
        authenticatorData: text(authData),
        signature: text(derOf(new Uint8Array(raw))),
      };
      return { ...shared, response };
    },
  };
}

function bytes(members: readonly number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(members);
}

function text(data: Uint8Array): string {
  return base64url.baseEncode(data);
}

async function sha256(data: string | Uint8Array): Promise<Uint8Array> {
  const encoded = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(encoded)));
}

function cborText(value: string): readonly number[] {
  return [0x60 + value.length, ...new TextEncoder().encode(value)];
}

function cborBytes(value: Uint8Array): readonly number[] {
  return value.length < 24 ? [0x40 + value.length, ...value] : [0x58, value.length, ...value];
}

/** An uncompressed point as a COSE key: EC2, ES256, P-256. */
function coseKey(point: Uint8Array): readonly number[] {
  const [x, y] = [point.slice(1, 33), point.slice(33)];
  return [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, ...cborBytes(x), 0x22, ...cborBytes(y)];
}

/** Two integers of 32 bytes as an ASN.1 sequence. */
function derOf(raw: Uint8Array): Uint8Array {
  const integers = [raw.slice(0, 32), raw.slice(32)].flatMap((part) => {
    const start = part.findIndex((byte) => byte !== 0);
    const value = part.slice(start);
    const padded = (value[0] ?? 0) >= 0x80 ? [0, ...value] : value;
    return [0x02, padded.length, ...padded];
  });
  return bytes([0x30, integers.length, ...integers]);
}
