/**
 * Discovers where a user signs in for an MCP server: the server's resource metadata (RFC 9728), then its authorization server's
 * metadata (RFC 8414, or OpenID Connect), with the requirements of MCP for both.
 */
import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { failure, success, type Result } from "../../../platform/result.ts";
import { isLoopback, NoAnswer, type FetchLike } from "./oauth-fetch.ts";

/** Facts about an authorization server, and the request to it. Stored across redirects and with the tokens. */
export const authorizationFacts = z.object({
  issuer: z.string(),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  registrationEndpoint: z.string().optional(),
  /** The server's list of client authentication methods at the token endpoint. */
  authMethods: z.array(z.string()).optional(),
  /** Whether every authorization response names its issuer (RFC 9207). */
  namesIssuer: z.boolean(),
  /** Whether it reads client id metadata documents. */
  readsClientDocuments: z.boolean(),
  /** The resource of the tokens (RFC 8707). */
  resource: z.string(),
  scope: z.string().optional(),
});

export type AuthorizationFacts = z.output<typeof authorizationFacts>;

/** The challenge in the `WWW-Authenticate` header of a server's 401. */
export interface Challenge {
  readonly resourceMetadata?: string | undefined;
  readonly scope?: string | undefined;
}

export type DiscoveryProblem =
  /** No readable answer; may work later. */
  | "unreachable"
  /** The server does not state how to sign in. */
  | "no_sign_in"
  /** Its metadata describes another resource. */
  | "wrong_resource"
  /** The authorization server's metadata names another issuer. */
  | "wrong_issuer"
  /** The authorization server does not announce PKCE with S256. */
  | "no_pkce"
  /** An address without https. */
  | "insecure";

export async function discoverAuthorization(
  serverUrl: string,
  challenge: Challenge,
  fetch: FetchLike,
): Promise<Result<AuthorizationFacts, DiscoveryProblem>> {
  const resource = await resourceOf(serverUrl, challenge, fetch);
  if (!resource.ok) return resource;
  const { authorizationServer, scopes } = resource.value;
  const read = await attempt(() => discoverAuthorizationServerMetadata(authorizationServer, { fetchFn: fetch }));
  if (!read.ok) return read;
  const metadata = read.value;
  if (metadata === undefined) return failure("no_sign_in");
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) return failure("no_pkce");
  const endpoints = [metadata.authorization_endpoint, metadata.token_endpoint, metadata.registration_endpoint];
  if (!endpoints.every((endpoint) => endpoint === undefined || isSecure(endpoint))) return failure("insecure");
  const scope = scopeOf(challenge.scope ?? scopes?.join(" "), metadata.scopes_supported);
  return success({
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    ...optional("registrationEndpoint", metadata.registration_endpoint),
    ...optional("authMethods", metadata.token_endpoint_auth_methods_supported),
    namesIssuer: metadata.authorization_response_iss_parameter_supported === true,
    readsClientDocuments: metadata.client_id_metadata_document_supported === true,
    resource: resource.value.resource,
    ...optional("scope", scope),
  });
}

interface ProtectedResource {
  readonly resource: string;
  readonly authorizationServer: string;
  readonly scopes?: readonly string[] | undefined;
}

/** A server without resource metadata follows the first protocol version, in which its own origin was the authorization server. */
async function resourceOf(
  serverUrl: string,
  { resourceMetadata }: Challenge,
  fetch: FetchLike,
): Promise<Result<ProtectedResource, DiscoveryProblem>> {
  const options = resourceMetadata === undefined ? {} : { resourceMetadataUrl: resourceMetadata };
  const read = await attempt(() => discoverOAuthProtectedResourceMetadata(serverUrl, options, fetch));
  const own = resourceUrlFromServerUrl(serverUrl).href;
  const atOwnOrigin = { resource: own, authorizationServer: new URL("/", serverUrl).href };
  if (!read.ok)
    return read.error === "no_sign_in" && resourceMetadata === undefined ? success(atOwnOrigin) : failure(read.error);
  const { resource, authorization_servers: servers = [], scopes_supported: scopes } = read.value;
  if (!URL.canParse(resource) || !checkResourceAllowed({ requestedResource: own, configuredResource: resource }))
    return failure("wrong_resource");
  return success({ resource, authorizationServer: servers[0] ?? atOwnOrigin.authorizationServer, scopes });
}

async function attempt<Value>(read: () => Promise<Value>): Promise<Result<Value, DiscoveryProblem>> {
  try {
    return success(await read());
  } catch (thrown) {
    if (thrown instanceof IssuerMismatchError) return failure("wrong_issuer");
    if (thrown instanceof NoAnswer) return failure("unreachable");
    // The library throws both for a status and for an unreadable document.
    return failure(/HTTP 5\d\d/.test(String(thrown)) ? "unreachable" : "no_sign_in");
  }
}

/** Without `offline_access`, some servers issue no refresh token, and the user would have to sign in every hour. */
function scopeOf(wanted: string | undefined, supported: readonly string[] | undefined): string | undefined {
  const scopes = new Set((wanted ?? "").split(" ").filter((scope) => scope !== ""));
  if (scopes.size > 0 && supported?.includes("offline_access") === true) scopes.add("offline_access");
  return scopes.size === 0 ? undefined : [...scopes].join(" ");
}

function isSecure(endpoint: string): boolean {
  const url = URL.parse(endpoint);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [K in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [K in Name]?: Value });
}

/** The facts in the library's format. */
export function metadataOf(facts: AuthorizationFacts): AuthorizationServerMetadata {
  return {
    issuer: facts.issuer,
    authorization_endpoint: facts.authorizationEndpoint,
    token_endpoint: facts.tokenEndpoint,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: facts.namesIssuer,
    ...optional("token_endpoint_auth_methods_supported", facts.authMethods),
  };
}
