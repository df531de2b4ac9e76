/**
 * A small authorization server: metadata, PKCE, resource indicators, issuer in its answers, client documents or registration,
 * rotating refresh tokens. Its consent page has one form, and `consent` signs in as the user that a test names.
 */
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Peer } from "./peer.ts";

export interface OAuthServerOptions {
  readonly port?: number;
  /** Lifetime of an access token, seconds. */
  readonly expiresIn?: number;
  /** Whether clients may register. */
  readonly registers?: boolean;
  /** Whether it reads client id metadata documents, and announces it. */
  readonly readsDocuments?: boolean;
  /** The issuer that answers name; defaults to its own. `null`: none, though it announces one. */
  readonly answersAs?: string | null;
  /** The announced methods; `null` omits the member. */
  readonly challengeMethods?: readonly string[] | null;
  /** Serves its metadata only at the OpenID Connect address. */
  readonly onlyOpenId?: boolean;
  /** Issues a secret to clients that register. */
  readonly givesSecrets?: boolean;
}

export interface IssuedToken {
  readonly person: string;
  readonly clientId: string;
  readonly resource: string;
  /** Shared by all refreshed tokens of one sign-in. */
  readonly grant: string;
}

interface Code extends IssuedToken {
  readonly redirectUri: string;
  readonly challenge: string;
}

export interface OAuthServer extends Peer {
  readonly issuer: string;
  /** The address where a server at `resource` names this one as its authorization server. */
  resourceMetadataUrl(resource: string): string;
  /** The owner of a valid access token. */
  holderOf(token: string): IssuedToken | undefined;
  /** The token endpoint's requests in order: the kind of grant and whether it was issued. */
  readonly tokenRequests: readonly { readonly grantType: string; readonly outcome: string }[];
  readonly registrations: readonly string[];
  /** Every issued code and token: none of them may appear in a log. */
  readonly secrets: readonly string[];
  /** Ends a user's grant: their tokens are refused from now on. */
  revoke(person: string): void;
  /** Access tokens expire at once; refresh tokens stay. */
  expireAccess(): void;
  forgetClients(): void;
  /** While true, the token endpoint breaks connections. */
  unreachable: boolean;
  /** Runs before the token endpoint answers: a test can hold a request here. */
  beforeToken: () => Promise<void> | void;
}

export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const { expiresIn = 3600, registers = true, readsDocuments = true, answersAs, givesSecrets = false } = options;
  const { challengeMethods = ["S256"], onlyOpenId = false } = options;
  const clients = new Map<string, { readonly redirectUris: readonly string[]; readonly secret?: string }>();
  const codes = new Map<string, Code>();
  const access = new Map<string, IssuedToken>();
  const refresh = new Map<string, IssuedToken>();
  /** Used refresh tokens: a repeated one was stolen, so the whole grant ends. */
  const rotated = new Map<string, string>();
  const tokenRequests: { grantType: string; outcome: string }[] = [];
  const registrations: string[] = [];
  const secrets: string[] = [];

  const mint = (kind: string): string => {
    const secret = `${kind}_${randomBytes(24).toString("base64url")}`;
    secrets.push(secret);
    return secret;
  };

  function endGrants(isMeant: (token: IssuedToken) => boolean): void {
    for (const tokens of [access, refresh])
      for (const [token, issued] of tokens) if (isMeant(issued)) tokens.delete(token);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      json(response, 500, { error: "server_error", error_description: String(error) });
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", peer.issuer);
    const asked = `${request.method} ${url.pathname}`;
    const wellKnown = onlyOpenId ? "/.well-known/openid-configuration" : "/.well-known/oauth-authorization-server";
    if (asked === `GET ${wellKnown}`) return json(response, 200, metadata());
    // Served for a resource server, which names this address in its 401.
    if (asked === "GET /resource-metadata") return json(response, 200, resourceMetadata(url.searchParams));
    if (asked === "POST /register" && registers) return register(await bodyOf(request), response);
    if (asked === "GET /authorize") return showConsent(url.searchParams, response);
    if (asked === "POST /consent") return consent(new URLSearchParams(await bodyOf(request)), response);
    if (asked === "POST /token") return answerToken(request, new URLSearchParams(await bodyOf(request)), response);
    json(response, 404, { error: "not_found" });
  }

  const resourceMetadata = (asked: URLSearchParams) => ({
    resource: asked.get("resource"),
    authorization_servers: [peer.issuer],
    scopes_supported: ["tools"],
  });

  const metadata = () => ({
    issuer: peer.issuer,
    authorization_endpoint: `${peer.issuer}/authorize`,
    token_endpoint: `${peer.issuer}/token`,
    ...(registers ? { registration_endpoint: `${peer.issuer}/register` } : {}),
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    ...(challengeMethods === null ? {} : { code_challenge_methods_supported: challengeMethods }),
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: readsDocuments,
    ...(onlyOpenId
      ? {
          jwks_uri: `${peer.issuer}/jwks`,
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"],
        }
      : {}),
  });

  function register(body: string, response: ServerResponse): void {
    const { redirect_uris: redirectUris = [] } = JSON.parse(body) as { redirect_uris?: readonly string[] };
    const id = `client-${clients.size + 1}`;
    const secret = givesSecrets ? mint("client_secret") : undefined;
    clients.set(id, { redirectUris, ...(secret === undefined ? {} : { secret }) });
    registrations.push(id);
    const given = secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 };
    json(response, 201, { ...(JSON.parse(body) as object), client_id: id, ...given });
  }

  /** A registered client, or the client whose document is at its id. */
  async function redirectUrisOf(clientId: string): Promise<readonly string[]> {
    const known = clients.get(clientId);
    if (known !== undefined) return known.redirectUris;
    if (!readsDocuments || !URL.canParse(clientId)) return [];
    const response: unknown = await (await fetch(clientId)).json();
    const document = response as { readonly client_id: string; readonly redirect_uris: readonly string[] };
    return document.client_id === clientId ? document.redirect_uris : [];
  }

  async function showConsent(asked: URLSearchParams, response: ServerResponse): Promise<void> {
    const redirectUri = asked.get("redirect_uri") ?? "";
    // Never redirects to an address that the client did not register.
    if (!(await redirectUrisOf(asked.get("client_id") ?? "")).includes(redirectUri))
      return html(response, 400, "unknown client or redirect_uri");
    const isComplete =
      asked.get("response_type") === "code" &&
      asked.get("code_challenge_method") === "S256" &&
      /^[\w-]{43}$/.test(asked.get("code_challenge") ?? "") &&
      URL.canParse(asked.get("resource") ?? "");
    if (!isComplete) return leave(response, redirectUri, asked, { error: "invalid_request" });
    const fields = ["client_id", "redirect_uri", "code_challenge", "resource", "state"].map(
      (name) => `<input type="hidden" name="${name}" value="${encodeURIComponent(asked.get(name) ?? "")}">`,
    );
    return html(
      response,
      200,
      `<h1>Sign in</h1><form method="post" action="/consent">${fields.join("")}
<input name="person" value="ada"><button name="answer" value="yes">Allow</button>
<button name="answer" value="no">Refuse</button></form>`,
    );
  }

  function consent(form: URLSearchParams, response: ServerResponse): void {
    const field = (name: string): string => decodeURIComponent(form.get(name) ?? "");
    const asked = new URLSearchParams({ state: field("state") });
    if (form.get("answer") !== "yes") return leave(response, field("redirect_uri"), asked, { error: "access_denied" });
    const code = mint("code");
    codes.set(code, {
      person: form.get("person") ?? "",
      clientId: field("client_id"),
      resource: field("resource"),
      grant: randomBytes(8).toString("hex"),
      redirectUri: field("redirect_uri"),
      challenge: field("code_challenge"),
    });
    return leave(response, field("redirect_uri"), asked, { code });
  }

  function leave(
    response: ServerResponse,
    redirectUri: string,
    asked: URLSearchParams,
    members: Readonly<Record<string, string>>,
  ): void {
    const address = new URL(redirectUri);
    for (const [name, value] of Object.entries(members)) address.searchParams.set(name, value);
    address.searchParams.set("state", asked.get("state") ?? "");
    if (answersAs !== null) address.searchParams.set("iss", answersAs ?? peer.issuer);
    response.writeHead(302, { Location: address.href }).end();
  }

  async function answerToken(request: IncomingMessage, form: URLSearchParams, response: ServerResponse) {
    const grantType = form.get("grant_type") ?? "";
    const outcome = (word: string): void => void tokenRequests.push({ grantType, outcome: word });
    await peer.beforeToken();
    if (peer.unreachable) {
      outcome("unreachable");
      request.socket.destroy();
      return;
    }
    const clientId = clientOf(request, form);
    const refused = (error: string, status = 400): void => {
      outcome(error);
      json(response, status, { error });
    };
    if (clientId === undefined) return refused("invalid_client", 401);
    const issued = grantType === "refresh_token" ? ofRefresh(form) : ofCode(form);
    if (issued?.clientId !== clientId || issued.resource !== form.get("resource")) return refused("invalid_grant");
    outcome("issued");
    const { person, resource, grant } = issued;
    const tokens = { access: mint("access"), refresh: mint("refresh") };
    access.set(tokens.access, { person, clientId, resource, grant });
    refresh.set(tokens.refresh, { person, clientId, resource, grant });
    json(response, 200, {
      access_token: tokens.access,
      token_type: "Bearer",
      expires_in: expiresIn,
      refresh_token: tokens.refresh,
    });
  }

  /** A client with a secret authenticates with it; the others name themselves. */
  function clientOf(request: IncomingMessage, form: URLSearchParams): string | undefined {
    const [, basic] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    const [basicId, secret] = Buffer.from(basic ?? "", "base64")
      .toString()
      .split(":")
      .map(decodeURIComponent);
    const id = basic === undefined ? form.get("client_id") : basicId;
    if (id === null || id === undefined) return undefined;
    const known = clients.get(id);
    if (known === undefined) return readsDocuments && URL.canParse(id) ? id : undefined;
    return known.secret === undefined || known.secret === secret ? id : undefined;
  }

  function ofCode(form: URLSearchParams): IssuedToken | undefined {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return code?.challenge === challenge && code.redirectUri === form.get("redirect_uri") ? code : undefined;
  }

  function ofRefresh(form: URLSearchParams): IssuedToken | undefined {
    const token = form.get("refresh_token") ?? "";
    const stolen = rotated.get(token);
    if (stolen !== undefined) endGrants(({ grant }) => grant === stolen);
    const issued = refresh.get(token);
    refresh.delete(token);
    if (issued !== undefined) rotated.set(token, issued.grant);
    return issued;
  }

  await new Promise<void>((resolve) => void server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peer: OAuthServer = {
    name: "OAuth authorization server",
    url,
    issuer: url,
    variables: {},
    tokenRequests,
    registrations,
    secrets,
    unreachable: false,
    beforeToken: () => undefined,
    resourceMetadataUrl: (resource) => `${url}/resource-metadata?resource=${encodeURIComponent(resource)}`,
    holderOf: (token) => access.get(token),
    revoke: (person) => endGrants((token) => token.person === person),
    expireAccess: () => access.clear(),
    forgetClients: () => clients.clear(),
    async stop() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return peer;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify(body));
}

function html(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "Content-Type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>Authorization server</title>${body}`);
}
