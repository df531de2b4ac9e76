/**
 * The access token of a user for a server, refreshed when it is about to expire or was refused. A record in the user's storage
 * elects one of the concurrent turns to refresh, and the others wait for its result: a rotating refresh token is never sent twice.
 */
import { OAuthError, refreshAuthorization } from "@modelcontextprotocol/client";
import { isJsonObject } from "../../../platform/json.ts";
import type { Logger } from "../../../platform/log.ts";
import type { PluginKv } from "../../framework/storage.ts";
import { metadataOf } from "./oauth-discovery.ts";
import { REQUEST_MS, type FetchLike } from "./oauth-fetch.ts";
import { grantOf, hasToSignIn, isFresh, NEW_TOKEN_MS, type Grant, type Grants } from "./oauth-grants.ts";

/** Maximum duration of a refresh, including its request and storing the answer; after it, another turn may try. Milliseconds. */
export const REFRESH_LEASE_MS = REQUEST_MS + 5_000;
/** Poll interval of the waiting turns, milliseconds. */
const REFRESH_POLL_MS = 200;
/** Pause after a refresh without an answer, milliseconds: waiting turns must not retry in sequence. */
export const RETRY_MS = 5_000;
/** Errors of a token endpoint after which only a new sign-in helps. */
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
  /** The authorization server no longer knows the client. */
  readonly onUnknownClient: (grant: Grant) => Promise<void>;
}

/** `refused`: a token that the server has just refused, so a new one is needed regardless of its expiry. */
export async function accessToken(options: TokenOptions, refused?: string): Promise<TokenAnswer> {
  const { server, grants, now, pause } = options;
  const until = now() + 2 * REFRESH_LEASE_MS;
  for (;;) {
    const grant = await grants.read(server);
    if (grant === undefined || hasToSignIn(grant, now())) return { kind: "sign-in" };
    const { accessToken: token, refreshToken, failedAt } = grant;
    if (token !== refused && isFresh(grant, now())) return { kind: "token", token };
    if (failedAt !== undefined && now() < failedAt + RETRY_MS) return stillGood(grant, refused, now());
    const isMine = await claimRefresh(options, grant);
    if (isMine) {
      const wasNew = token === refused && now() < (grant.refreshedAt ?? -Infinity) + NEW_TOKEN_MS;
      return refreshToken === undefined || (wasNew && grant.isRetry === true)
        ? giveUp(options, grant)
        : refresh(options, { ...grant, refreshToken }, { refused, isRetry: wasNew });
    }
    if (now() >= until) return stillGood(grant, refused, now());
    await pause(REFRESH_POLL_MS);
  }
}

/** The fallback when no newer token can be obtained. */
function stillGood(grant: Grant, refused: string | undefined, now: number): TokenAnswer {
  const isRefused = grant.accessToken === refused || grant.refusedAt !== undefined;
  return !isRefused && now < (grant.expiresAt ?? Infinity)
    ? { kind: "token", token: grant.accessToken }
    : { kind: "unavailable", reason: "authorization_server_unreachable" };
}

/**
 * Whether this caller refreshes this generation. An expired claim belongs to a lost turn, so the next number is free. The grant is
 * read again after claiming: claims of a replaced generation are deleted, so an old one could be claimed again.
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

/** Ends the claim. A sign-in or sign-out in the meantime is newer than the value stored here. */
async function replace({ server, grants, kv }: TokenOptions, grant: Grant, next: Grant | undefined): Promise<void> {
  const stored = await grants.read(server);
  if (stored?.generation === grant.generation)
    await (next === undefined ? grants.forget(server.name) : grants.save(server.name, next));
  for (const key of (await kv.list(claimsOf(server.name, grant.generation))).keys) await kv.delete(key);
}

/** The server refuses the authorization server's tokens. The refresh token is kept: it may work again in a minute. */
async function giveUp(options: TokenOptions, grant: Grant): Promise<TokenAnswer> {
  const { server, logger, now, newId } = options;
  await replace(options, grant, { ...grant, generation: newId(), refusedAt: now() });
  logger.info("mcp-token-refused", { server: server.name });
  return { kind: "sign-in" };
}

async function refresh(
  options: TokenOptions,
  grant: Grant & { readonly refreshToken: string },
  { refused, isRetry }: { readonly refused: string | undefined; readonly isRetry: boolean },
): Promise<TokenAnswer> {
  const { server, fetch, logger, now, newId, onUnknownClient } = options;
  const { facts, client, refreshToken } = grant;
  try {
    const tokens = await refreshAuthorization(facts.issuer, {
      metadata: metadataOf(facts),
      clientInformation: client,
      refreshToken,
      resource: facts.resource,
      fetchFn: fetch,
    });
    const refreshed = grantOf(tokens, grant, { now: now(), generation: newId() });
    await replace(options, grant, { ...refreshed, refreshedAt: now(), isRetry });
    logger.info("mcp-token-refreshed", { server: server.name });
    return { kind: "token", token: tokens.access_token };
  } catch (thrown) {
    const code = thrown instanceof OAuthError ? thrown.code : undefined;
    // Log neither the library's message nor the answer: both may contain what was sent.
    if (code !== undefined && FINAL_ERRORS.includes(code)) {
      await replace(options, grant, undefined);
      if (code !== "invalid_grant") await onUnknownClient(grant);
      logger.info("mcp-grant-forgotten", { server: server.name, reason: code });
      return { kind: "sign-in" };
    }
    const failed = { ...grant, generation: newId(), failedAt: now() };
    await replace(options, grant, failed);
    logger.warn("mcp-token-not-refreshed", { server: server.name, reason: code ?? "no_answer" });
    return stillGood(failed, refused, now());
  }
}
