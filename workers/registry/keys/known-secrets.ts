/**
 * The secrets that the configuration brings: the operator's ADMIN_TOKEN, the bootstrap keys (decisions 5.2) and, in
 * development alone, DEV_API_KEY. Only their digests are kept.
 */
import type { Caller } from "../caller.ts";
import type { BootstrapKey, RegistryConfig } from "../config.ts";
import { scopes } from "../scopes.ts";
import { equalBytes, sha256Hex } from "../../platform/digest.ts";

export interface KnownSecrets {
  /** Both take the SHA-256 of what was presented, in hexadecimal, and compare in constant time. */
  isAdminToken(digest: string): boolean;
  bootstrapCaller(digest: string): Caller | undefined;
}

/** Whom the development key speaks for. */
export const DEVELOPMENT_DID = "did:web:localhost";

type SecretSettings = Pick<RegistryConfig, "ADMIN_TOKEN" | "DEV_API_KEY" | "ENVIRONMENT" | "REGISTRY_BOOTSTRAP_KEYS">;

export async function knownSecrets(config: SecretSettings): Promise<KnownSecrets> {
  const admin = config.ADMIN_TOKEN === undefined ? undefined : await sha256Hex(config.ADMIN_TOKEN);
  const callers = await Promise.all(
    keysOf(config).map(async ({ key, ...caller }, index) => ({
      digest: await sha256Hex(key),
      caller: { keyId: `bootstrap-${index + 1}`, ...caller },
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

function areEqual(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return equalBytes(encoder.encode(one), encoder.encode(other));
}
