/**
 * Finds the caller of a presented key. Issued keys are read from the database at every request, so that a revocation
 * applies to the next one; secrets of the configuration are compared by their digests.
 */
import { equalBytes, sha256Hex } from "../../../platform/digest.ts";
import type { StaffRole } from "../../../platform/staff/roles.ts";
import type { Staff } from "../../../platform/staff/session.ts";
import { type Caller, holds, type KeyEnvironment, type KnownSecrets, scopes } from "../caller.ts";
import type { BootstrapKey, RegistryConfig } from "../config.ts";
import type { RegistryRuntime } from "../context.ts";
import { base62, base62OfNumber } from "../did.ts";
import { readCredential, touchKey } from "../store/key-store.ts";

export const KEY_BYTES = 32;
/** The displayed part of a key: enough to tell keys apart, too little to guess one. */
export const START_LENGTH = 13;

const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = /^twe_(live|test)_[0-9A-Za-z]{49}$/;

/** `bytes`: 32, from a cryptographically secure source. */
export function keyText(environment: KeyEnvironment, bytes: Uint8Array): string {
  const text = `twe_${environment}_${base62(bytes, SECRET_LENGTH)}`;
  return text + checksum(text);
}

/** The environment in a well-formed key; undefined for any other text. */
export function environmentOf(key: string): KeyEnvironment | undefined {
  const named = FORM.exec(key)?.[1];
  if (named === undefined || key.slice(-CHECKSUM_LENGTH) !== checksum(key.slice(0, -CHECKSUM_LENGTH))) return undefined;
  return named === "live" ? "live" : "test";
}

function checksum(text: string): string {
  return base62OfNumber(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

/** The CRC-32 of IEEE 802.3, as in zip and PNG; the text is ASCII. */
function crc32(text: string): number {
  let register = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    register ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) register = (register >>> 1) ^ ((register & 1) === 0 ? 0 : 0xedb88320);
  }
  return (register ^ 0xffffffff) >>> 0;
}

/** The DID that the development key represents. */
export const DEVELOPMENT_DID = "did:web:localhost";

type SecretSettings = Pick<RegistryConfig, "ADMIN_TOKEN" | "DEV_API_KEY" | "ENVIRONMENT" | "REGISTRY_BOOTSTRAP_KEYS">;

/** The DID of the other surfaces of this Worker: a name that cannot be registered. */
const READER_DID = "did:web:reader.invalid";

/** Another surface of this Worker; `reader` names the surface and its caller. */
export function callerOfReader(reader: string): Caller {
  return { keyId: `same-worker ${reader}`, did: READER_DID, role: null, scopes: ["domains:read"] };
}

/**
 * Rights inside a route, such as on domains of other owners. The table of roles decides whether the role may call the
 * route.
 */
const staffRights: Readonly<Record<StaffRole, Pick<Caller, "role" | "scopes">>> = {
  viewer: { role: null, scopes: ["domains:read"] },
  support: { role: null, scopes: ["domains:read"] },
  operator: { role: null, scopes: ["registry:admin"] },
  programme: { role: "program", scopes: ["domains:write", "verification:propose", "verification:vote"] },
  compliance: { role: "compliance", scopes: ["domains:read", "verification:propose", "verification:vote"] },
  administrator: { role: null, scopes: ["registry:admin"] },
};

export function callerOfStaff({ id, did, role }: Pick<Staff, "id" | "did" | "role">): Caller {
  return { keyId: id, did, role: staffRights[role].role, scopes: staffRights[role].scopes };
}

export async function knownSecrets(config: SecretSettings): Promise<KnownSecrets> {
  const admin = config.ADMIN_TOKEN === undefined ? undefined : await sha256Hex(config.ADMIN_TOKEN);
  const callers = await Promise.all(
    keysOf(config).map(async ({ key, ...caller }, index) => ({
      digest: await sha256Hex(key),
      caller: { keyId: `bootstrap-${index + 1}`, ...caller } as Caller,
    })),
  );
  return {
    isAdminToken: (digest) => admin !== undefined && areEqual(digest, admin),
    bootstrapCaller: (presented) => callers.find(({ digest }) => areEqual(digest, presented))?.caller,
  };
}

function keysOf({ DEV_API_KEY, ENVIRONMENT, REGISTRY_BOOTSTRAP_KEYS }: SecretSettings): readonly BootstrapKey[] {
  if (ENVIRONMENT !== "development" || DEV_API_KEY === undefined) return REGISTRY_BOOTSTRAP_KEYS;
  const development: BootstrapKey = { key: DEV_API_KEY, did: DEVELOPMENT_DID, role: "compliance", scopes: [...scopes] };
  return [...REGISTRY_BOOTSTRAP_KEYS, development];
}

/** The DIDs that keys of the configuration can vote for. */
export function configuredVoters(config: SecretSettings): readonly string[] {
  return keysOf(config).flatMap(({ did, scopes: held }) => (holds(held, "verification:vote") ? [did] : []));
}

function areEqual(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return equalBytes(encoder.encode(one), encoder.encode(other));
}

export interface Presented {
  readonly secret: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly digest: string;
}

/** Minimum interval between two updates of a key's last use, in milliseconds. */
const LAST_USE_PRECISION = 60_000;

/** `later` takes work that the response does not wait for. */
export async function findCaller(
  { config, database, clock, secrets }: RegistryRuntime,
  { secret, digest }: Presented,
  later: (work: Promise<void>) => void,
): Promise<Caller | undefined> {
  const bootstrap = secrets.bootstrapCaller(digest);
  if (bootstrap !== undefined) return bootstrap;
  if (environmentOf(secret) !== config.REGISTRY_KEY_ENVIRONMENT) return undefined;
  const key = await readCredential(database, digest);
  const now = clock();
  if (key === undefined || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) return undefined;
  if (key.lastUsedAt === null || key.lastUsedAt <= now - LAST_USE_PRECISION) {
    later(touchKey(database, key.caller.keyId, now, now - LAST_USE_PRECISION));
  }
  return key.caller;
}
