/**
 * A user's grants at authorization servers: the tokens of one user for one server, sealed, in that user's storage. The seal names
 * both, so that a grant does not open for another user or server.
 */
import * as z from "zod";
import { readStoredJson } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { Sealing } from "../../framework/sealed-texts.ts";
import { oauthClient } from "./oauth-client.ts";
import { authorizationFacts } from "./oauth-discovery.ts";

export const grant = z.object({
  /** Changes whenever the tokens change. */
  generation: z.string(),
  /** Where the tokens may be sent. */
  serverUrl: z.string(),
  facts: authorizationFacts,
  client: oauthClient,
  redirectUri: z.string(),
  accessToken: z.string(),
  /** Unix milliseconds; without it, the token is valid until the server refuses it. */
  expiresAt: z.number().optional(),
  refreshToken: z.string().optional(),
  scope: z.string().optional(),
  /** When a refresh issued this access token, Unix milliseconds; absent for a token from a sign-in. */
  refreshedAt: z.number().optional(),
  /** The previous token was refused although it was new. */
  isRetry: z.boolean().optional(),
  /** When the server refused this access token and no other could be obtained, Unix milliseconds. */
  refusedAt: z.number().optional(),
  /** When a refresh got no answer, Unix milliseconds. */
  failedAt: z.number().optional(),
});

export type Grant = z.output<typeof grant>;

/** A token that expires within this time is refreshed, since a call may send it a little later. Milliseconds. */
export const EXPIRY_MARGIN_MS = 30_000;
/**
 * A token that was refreshed within this time is not refused for its age. It is refreshed once more, since a restarting server may
 * refuse all tokens; after that, the user must sign in for as long. Milliseconds.
 */
export const NEW_TOKEN_MS = 60_000;

/** Whether the server may still accept the access token. */
export function isFresh({ expiresAt = Infinity, refusedAt }: Grant, now: number): boolean {
  return refusedAt === undefined && now < expiresAt - EXPIRY_MARGIN_MS;
}

/** Whether only a sign-in helps at the moment. */
export function hasToSignIn(granted: Grant, now: number): boolean {
  const { refreshToken, refusedAt = -Infinity } = granted;
  return now < refusedAt + NEW_TOKEN_MS || (refreshToken === undefined && !isFresh(granted, now));
}

/** The answer of a token endpoint, as the library parsed it. */
export interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

/** One user's grants. */
export interface Grants {
  /** Undefined if the server's address has changed since the user signed in. */
  read(server: { readonly name: string; readonly url: string }): Promise<Grant | undefined>;
  save(server: string, grant: Grant): Promise<void>;
  /** Returns whether there was a grant. */
  forget(server: string): Promise<boolean>;
}

export function grantsOf(kv: PluginKv, sealing: Sealing, did: string): Grants {
  const keyOf = (server: string): string => `oauth/grant/${server}`;
  const purposeOf = (server: string): string => `mcp grant of ${did} for ${server}`;
  return {
    async read({ name, url }) {
      const stored = await kv.get(keyOf(name));
      if (typeof stored !== "string") return undefined;
      const text = await sealing.open(stored, purposeOf(name));
      const found = text === undefined ? undefined : readStoredJson(grant, text);
      return found?.serverUrl === url ? found : undefined;
    },
    async save(server, granted) {
      await kv.set(keyOf(server), await sealing.seal(JSON.stringify(granted), purposeOf(server)));
    },
    forget: (server) => kv.delete(keyOf(server)),
  };
}

/** `before`: values that stay unless the answer replaces them. */
export function grantOf(
  tokens: IssuedTokens,
  before: Omit<
    Grant,
    "accessToken" | "expiresAt" | "refreshedAt" | "isRetry" | "refusedAt" | "failedAt" | "generation"
  >,
  { now, generation }: { readonly now: number; readonly generation: string },
): Grant {
  const { serverUrl, facts, client, redirectUri } = before;
  const refreshToken = tokens.refresh_token ?? before.refreshToken;
  const scope = tokens.scope ?? before.scope;
  return {
    generation,
    serverUrl,
    facts,
    client,
    redirectUri,
    accessToken: tokens.access_token,
    ...(tokens.expires_in === undefined ? {} : { expiresAt: now + tokens.expires_in * 1000 }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { scope }),
  };
}
