/**
 * What a person granted at an authorization server: the tokens of one user for one server, sealed, in that user's storage. The
 * seal names both, so that a grant does not open for anybody or anything else.
 */
import * as z from "zod";
import { readStoredJson } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { Sealing } from "../../framework/sealed-texts.ts";
import { oauthClient } from "./oauth-client.ts";
import { authorizationFacts } from "./oauth-discovery.ts";

export const grant = z.object({
  /** Changes whenever the tokens do. */
  generation: z.string(),
  /** Where the tokens may be sent. */
  serverUrl: z.string(),
  facts: authorizationFacts,
  client: oauthClient,
  redirectUri: z.string(),
  accessToken: z.string(),
  /** Unix milliseconds; without one the token is good until the server refuses it. */
  expiresAt: z.number().optional(),
  refreshToken: z.string().optional(),
  scope: z.string().optional(),
  /** When a refresh gave this access token, Unix milliseconds; without one a sign-in did. */
  refreshedAt: z.number().optional(),
  /** The token before this one was refused although it was new. */
  isRetry: z.boolean().optional(),
  /** When the server refused this access token and no other could be had, Unix milliseconds. */
  refusedAt: z.number().optional(),
  /** When a refresh got no answer, Unix milliseconds. */
  failedAt: z.number().optional(),
});

export type Grant = z.output<typeof grant>;

/** A token that expires within that time is refreshed: a call may take it along a little later. Milliseconds. */
export const EXPIRY_MARGIN_MS = 30_000;
/**
 * A token that a refresh gave within that time is refused for another reason than its age. It is refreshed once more, since a server
 * that restarts may refuse all tokens; then the user signs in again, for as long. Milliseconds.
 */
export const NEW_TOKEN_MS = 60_000;

/** Whether the server may still take the access token. */
export function isFresh({ expiresAt = Infinity, refusedAt }: Grant, now: number): boolean {
  return refusedAt === undefined && now < expiresAt - EXPIRY_MARGIN_MS;
}

/** Whether nothing but a sign-in helps at the moment. */
export function hasToSignIn(granted: Grant, now: number): boolean {
  const { refreshToken, refusedAt = -Infinity } = granted;
  return now < refusedAt + NEW_TOKEN_MS || (refreshToken === undefined && !isFresh(granted, now));
}

/** What a token endpoint answered, as the library parsed it. */
export interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

/** One user's grants. */
export interface Grants {
  /** Nothing for a server that has another address than when the user signed in. */
  read(server: { readonly name: string; readonly url: string }): Promise<Grant | undefined>;
  save(server: string, grant: Grant): Promise<void>;
  /** Returns whether there was one. */
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

/** `before`: what stays unless the answer changes it. */
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
