/** Sign-in as a turn uses it: the headers for a server that needs one, or the link for the chat. */
import { computeScopeUnion, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import type { PluginContext, RuntimeContext } from "../../framework/context.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { Authorization, ServerAuthorization } from "./authorization.ts";
import { forgetClient } from "./oauth-client.ts";
import { signInFetch } from "./oauth-fetch.ts";
import { grantsOf, type Grants } from "./oauth-grants.ts";
import { signInPath, type SignInParts } from "./oauth-sign-in.ts";
import { accessToken, type TokenAnswer } from "./oauth-tokens.ts";
import { randomText } from "./random-text.ts";
import type { McpServer } from "./settings.ts";

export const oauthAuthorization: ServerAuthorization = {
  async headersFor(server, ctx) {
    const answer = await tokenFor(server, ctx);
    return answer.kind === "sign-in" ? linkTo(server, ctx, {}) : asAuthorization(answer);
  },
  async refused(server, { status, wwwAuthenticate, headers }, ctx) {
    const { resourceMetadataUrl, scope, error } = challengeOf(status, wwwAuthenticate);
    const challenge = { resourceMetadata: resourceMetadataUrl?.href, scope };
    const grant = await grantsIn(ctx).read(server);
    if (status === 403) {
      if (error !== "insufficient_scope") return { kind: "unavailable", reason: "forbidden" };
      return linkTo(server, ctx, { ...challenge, scope: computeScopeUnion(grant?.scope, scope) });
    }
    const answer = await tokenFor(server, ctx, bearerIn(headers) ?? grant?.accessToken);
    return answer.kind === "sign-in" ? linkTo(server, ctx, challenge) : asAuthorization(answer);
  },
};

/** The parts of a sign-in: `kvOf` returns the storage of a user whose identity is proven. */
export function signInParts(
  { oracleKv, sealing, logger }: Pick<PluginContext, "oracleKv" | "sealing" | "logger">,
  kvOf: (did: string) => PluginKv,
): SignInParts {
  return { kvOf, oracleKv, sealing, logger, now: Date.now, newId: randomText };
}

/** The configured origin; if undefined, a link is a path at the oracle's own address. */
export function publicOrigin(env: Env): string | undefined {
  const { PUBLIC_URL: address } = env as { readonly PUBLIC_URL?: string };
  return address === undefined ? undefined : URL.parse(address)?.origin;
}

function grantsIn({ kv, sealing, user }: RuntimeContext): Grants {
  return grantsOf(kv, sealing, user.did);
}

function tokenFor(server: McpServer, ctx: RuntimeContext, refused?: string): Promise<TokenAnswer> {
  const { kv, logger } = ctx;
  return accessToken(
    {
      server,
      grants: grantsIn(ctx),
      kv,
      logger,
      fetch: signInFetch(server.url),
      now: Date.now,
      newId: randomText,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      onUnknownClient: ({ facts, redirectUri }) => forgetClient(ctx, facts.issuer, redirectUri),
    },
    refused,
  );
}

async function linkTo(
  server: McpServer,
  ctx: RuntimeContext,
  challenge: { readonly resourceMetadata?: string | undefined; readonly scope?: string | undefined },
): Promise<Authorization> {
  // A turn has proven only one user.
  const parts = signInParts(ctx, () => ctx.kv);
  const path = await signInPath(parts, ctx.user.did, server, challenge);
  return { kind: "sign-in", url: (publicOrigin(ctx.env) ?? "") + path };
}

function asAuthorization(answer: Exclude<TokenAnswer, { kind: "sign-in" }>): Authorization {
  if (answer.kind === "unavailable") return answer;
  return { kind: "headers", headers: { Authorization: `Bearer ${answer.token}` } };
}

function bearerIn(headers: Readonly<Record<string, string>> | undefined): string | undefined {
  return headers?.["Authorization"]?.replace(/^Bearer /, "");
}

function challengeOf(status: number, wwwAuthenticate: string | undefined) {
  const response = new Response(null, { status });
  if (wwwAuthenticate !== undefined) response.headers.set("WWW-Authenticate", wwwAuthenticate);
  return extractWWWAuthenticateParams(response);
}
