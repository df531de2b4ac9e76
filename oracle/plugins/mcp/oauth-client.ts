/**
 * The oracle's identity at an authorization server: the document at `/.well-known/oauth-client.json`, or a client that it registers
 * there once (RFC 7591).
 */
import * as z from "zod";
import { failure, success, type Result } from "../../../platform/result.ts";
import { parseJson, readStoredJson } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { Sealing } from "../../framework/sealed-texts.ts";
import type { AuthorizationFacts } from "./oauth-discovery.ts";
import { NoAnswer, type FetchLike } from "./oauth-fetch.ts";
import { textOfBytes } from "./random-text.ts";

export const CLIENT_DOCUMENT_PATH = "/.well-known/oauth-client.json";
export const CALLBACK_PATH = "/mcp/oauth/callback";
const SEALED_FOR = "mcp registered client";

/** Names as in RFC 7591 and the library. */
export const oauthClient = z.object({ client_id: z.string().min(1), client_secret: z.string().optional() });
export type OAuthClient = z.output<typeof oauthClient>;

const registered = oauthClient.extend({
  issuer: z.string(),
  redirectUri: z.string(),
  /** Unix seconds; 0 means never. */
  client_secret_expires_at: z.number().optional(),
});

export const clientDocument = z.object({
  client_id: z.string(),
  client_name: z.string(),
  client_uri: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.string(),
  application_type: z.string(),
});

export function clientDocumentOf(origin: string, oracleName: string): z.output<typeof clientDocument> {
  return {
    client_id: origin + CLIENT_DOCUMENT_PATH,
    client_name: oracleName,
    client_uri: origin,
    redirect_uris: [origin + CALLBACK_PATH],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "web",
  };
}

export interface ClientOptions {
  readonly facts: AuthorizationFacts;
  /** The oracle's public origin, for browsers and authorization servers. */
  readonly origin: string;
  readonly oracleName: string;
  readonly oracleKv: PluginKv;
  readonly sealing: Sealing;
  readonly fetch: FetchLike;
  readonly now: () => number;
}

/** `unknown_client`: the authorization server accepts neither a document nor a registration. */
export type ClientProblem = "unreachable" | "unknown_client";

export async function clientFor(options: ClientOptions): Promise<Result<OAuthClient, ClientProblem>> {
  const { facts, origin, oracleName } = options;
  const document = clientDocumentOf(origin, oracleName);
  // Other machines refuse a document without https, so it is only useful for local tests.
  const isReadable = facts.readsClientDocuments && origin.startsWith("https:");
  if (isReadable) return success({ client_id: document.client_id });
  if (facts.registrationEndpoint !== undefined) return registeredClient(options, facts.registrationEndpoint);
  return facts.readsClientDocuments ? success({ client_id: document.client_id }) : failure("unknown_client");
}

/** Called when the authorization server does not know the client: the next sign-in registers it again. */
export async function forgetClient(
  { oracleKv }: Pick<ClientOptions, "oracleKv">,
  issuer: string,
  redirectUri: string,
): Promise<void> {
  await oracleKv.delete(await keyOf(issuer, redirectUri));
}

async function registeredClient(options: ClientOptions, endpoint: string): Promise<Result<OAuthClient, ClientProblem>> {
  const { facts, origin, oracleName, oracleKv, sealing, now } = options;
  const redirectUri = origin + CALLBACK_PATH;
  const key = await keyOf(facts.issuer, redirectUri);
  const stored = await oracleKv.get(key);
  const opened = typeof stored === "string" ? await sealing.open(stored, SEALED_FOR) : undefined;
  const known = opened === undefined ? undefined : readStoredJson(registered, opened);
  if (known?.issuer === facts.issuer && known.redirectUri === redirectUri && !isExpired(known, now()))
    return success(asClient(known));
  const { client_id: _id, ...metadata } = clientDocumentOf(origin, oracleName);
  const answered = await register(options.fetch, endpoint, metadata);
  if (!answered.ok) return answered;
  const client = { ...answered.value, issuer: facts.issuer, redirectUri };
  await oracleKv.set(key, await sealing.seal(JSON.stringify(client), SEALED_FOR));
  return success(asClient(client));
}

async function register(
  fetch: FetchLike,
  endpoint: string,
  metadata: Omit<z.output<typeof clientDocument>, "client_id">,
): Promise<Result<Omit<z.output<typeof registered>, "issuer" | "redirectUri">, ClientProblem>> {
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(metadata),
    });
    if (response.status >= 500) return failure("unreachable");
    const parsed = parseJson(await response.text());
    const client = registered.omit({ issuer: true, redirectUri: true }).safeParse(parsed.ok ? parsed.value : undefined);
    return response.ok && client.success ? success(client.data) : failure("unknown_client");
  } catch (thrown) {
    if (thrown instanceof NoAnswer) return failure("unreachable");
    throw thrown;
  }
}

/** A client without a secret must not send one, not even an empty one. */
function asClient({ client_id, client_secret }: OAuthClient): OAuthClient {
  return client_secret === undefined ? { client_id } : { client_id, client_secret };
}

function isExpired({ client_secret_expires_at: expiry = 0 }: z.output<typeof registered>, now: number): boolean {
  return expiry > 0 && expiry * 1000 <= now;
}

/** Uses a digest: an issuer may be longer than a key. */
async function keyOf(issuer: string, redirectUri: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${issuer} ${redirectUri}`));
  return `oauth/client/${textOfBytes(new Uint8Array(digest))}`;
}
