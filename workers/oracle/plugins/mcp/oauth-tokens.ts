/**
 * The access token of a user for a server, refreshed when it is about to expire or was refused. Of turns that need it at once, one
 * refreshes, by a record in the user's storage, and the others wait for what it gets: a refresh token that rotates is never sent
 * twice.
 */
import { OAuthError, refreshAuthorization } from "@modelcontextprotocol/client";
import { isJsonObject } from "../../../platform/json.ts";
import type { Logger } from "../../../platform/log.ts";
import type { PluginKv } from "../../framework/storage.ts";
import { metadataOf } from "./oauth-discovery.ts";
import { REQUEST_MS, type FetchLike } from "./oauth-fetch.ts";
import { grantOf, type Grant, type Grants } from "./oauth-grants.ts";

/** A token that expires within that time is refreshed: a call may take it along a little later. Milliseconds. */
export const EXPIRY_MARGIN_MS = 30_000;
/** How long a refresh may take, its request and the storing of the answer; behind it another turn may try. Milliseconds. */
export const REFRESH_LEASE_MS = REQUEST_MS + 5_000;
/** How often the others look, milliseconds. */
const REFRESH_POLL_MS = 200;
/** How long nobody tries again after a refresh without an answer, milliseconds: the turns that waited do not queue up. */
export const RETRY_MS = 5_000;
/** What a token endpoint says when nothing but a new sign-in helps. */
const FINAL_ERRORS: readonly string[] = ["invalid_grant", "invalid_client", "unauthorized_client"];

export type TokenAnswer =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "sign-in" }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface TokenOptions {
  readonly server: { readonly name: string; readonly url: string };
  readonly grants: Grants;
  readonly kv: PluginKv;
  readonly fetch: FetchLike;
  readonly logger: Logger;
  readonly now: () => number;
  readonly newId: () => string;
  readonly pause: (ms: number) => Promise<void>;
  /** The authorization server does not know the client any more. */
  readonly onUnknownClient: (grant: Grant) => Promise<void>;
}

/** `refused`: a token that the server has just refused, so that another one is needed whatever its expiry says. */
export async function accessToken(options: TokenOptions, refused?: string): Promise<TokenAnswer> {
  const { server, grants, now, pause } = options;
  const until = now() + 2 * REFRESH_LEASE_MS;
  for (;;) {
    const grant = await grants.read(server);
    if (grant === undefined) return { kind: "sign-in" };
    const { refreshToken, failedAt } = grant;
    if (grant.accessToken !== refused && isFresh(grant, now())) return { kind: "token", token: grant.accessToken };
    if (refreshToken === undefined) return { kind: "sign-in" };
    if (failedAt !== undefined && now() < failedAt + RETRY_MS) return stillGood(grant, refused, now());
    const isMine = await claimRefresh(options, grant);
    if (isMine) return refresh(options, { ...grant, refreshToken }, refused);
    if (now() >= until) return stillGood(grant, refused, now());
    await pause(REFRESH_POLL_MS);
  }
}

function isFresh({ expiresAt = Infinity }: Grant, now: number): boolean {
  return now < expiresAt - EXPIRY_MARGIN_MS;
}

/** What there is when nothing newer can be had. */
function stillGood(grant: Grant, refused: string | undefined, now: number): TokenAnswer {
  const isUsable = grant.accessToken !== refused && now < (grant.expiresAt ?? Infinity);
  return isUsable
    ? { kind: "token", token: grant.accessToken }
    : { kind: "unavailable", reason: "authorization_server_unreachable" };
}

/**
 * Whether this caller refreshes this generation. A claim whose time is over belonged to a turn that was lost: the next number is
 * free then. Read again after it was taken: a generation that is gone has no claims any more, so an old one could be taken again.
 */
async function claimRefresh({ server, grants, kv, now }: TokenOptions, { generation }: Grant): Promise<boolean> {
  for (let number = 0; ; number += 1) {
    const key = `${claimsOf(server.name, generation)}${number}`;
    if (await kv.setIfAbsent(key, { at: now() })) {
      if ((await grants.read(server))?.generation === generation) return true;
      await kv.delete(key);
      return false;
    }
    const claim = await kv.get(key);
    const at = isJsonObject(claim) && typeof claim["at"] === "number" ? claim["at"] : now();
    if (now() < at + REFRESH_LEASE_MS) return false;
  }
}

function claimsOf(server: string, generation: string): string {
  return `oauth/refresh/${server}/${generation}/`;
}

async function refresh(
  { server, grants, kv, fetch, logger, now, newId, onUnknownClient }: TokenOptions,
  grant: Grant & { readonly refreshToken: string },
  refused: string | undefined,
): Promise<TokenAnswer> {
  /** A sign-in or a sign-out in the meantime is newer than what is stored here. */
  const replace = async (next: Grant | undefined): Promise<void> => {
    const stored = await grants.read(server);
    if (stored?.generation === grant.generation)
      await (next === undefined ? grants.forget(server.name) : grants.save(server.name, next));
    for (const key of (await kv.list(claimsOf(server.name, grant.generation))).keys) await kv.delete(key);
  };
  const { facts, client, refreshToken } = grant;
  try {
    const tokens = await refreshAuthorization(facts.issuer, {
      metadata: metadataOf(facts),
      clientInformation: client,
      refreshToken,
      resource: facts.resource,
      fetchFn: fetch,
    });
    await replace({ ...grantOf(tokens, grant, { now: now(), generation: newId() }), refreshedAt: now() });
    logger.info("mcp-token-refreshed", { server: server.name });
    return { kind: "token", token: tokens.access_token };
  } catch (thrown) {
    const code = thrown instanceof OAuthError ? thrown.code : undefined;
    // Neither the library's message nor the answer's: both may hold what was sent.
    if (code !== undefined && FINAL_ERRORS.includes(code)) {
      await replace(undefined);
      if (code !== "invalid_grant") await onUnknownClient(grant);
      logger.info("mcp-grant-forgotten", { server: server.name, reason: code });
      return { kind: "sign-in" };
    }
    const failed = { ...grant, generation: newId(), failedAt: now() };
    await replace(failed);
    logger.warn("mcp-token-not-refreshed", { server: server.name, reason: code ?? "no_answer" });
    return stillGood(failed, refused, now());
  }
}
