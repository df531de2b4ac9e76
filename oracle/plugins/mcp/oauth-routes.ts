/** The HTTP routes of a sign-in: the link, the callback, the oracle's client document, and the user's list of sign-ins. */
import * as z from "zod";
import { refuse } from "../../framework/admission.ts";
import { readLimited } from "../../framework/guarded-fetch.ts";
import type { OutsideContext, PluginContext } from "../../framework/context.ts";
import { route, type PluginRoute } from "../../framework/plugin-routes.ts";
import { publicOrigin, signInParts } from "./oauth.ts";
import { CALLBACK_PATH, CLIENT_DOCUMENT_PATH, clientDocument, clientDocumentOf } from "./oauth-client.ts";
import { signInFetch } from "./oauth-fetch.ts";
import { awaitCode, CODE_DIGITS, enterCode } from "./oauth-confirmation.ts";
import { grantsOf, hasToSignIn } from "./oauth-grants.ts";
import { codePage, donePage, problemPage, startPage } from "./oauth-pages.ts";
import {
  arrive,
  readTicket,
  setOut,
  signInPath,
  START_PATH,
  type SignInParts,
  type SignInProblem,
} from "./oauth-sign-in.ts";
import { SIGN_IN_MS } from "./oauth-single-use.ts";
import { MAX_SERVER_NAME_LENGTH, type McpSettings } from "./settings.ts";

/** Maximum bytes of the start page's form, which sends a sealed text. */
const FORM_BYTES = 8 * 1024;
const MS = 1000;

const signIns = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      signedIn: z.boolean(),
      issuer: z.string().optional(),
      scope: z.string().optional(),
      url: z.string().optional().meta({ description: "The link that signs the caller in, as the chat shows it." }),
    }),
  ),
});

export function oauthRoutes(
  { config }: PluginContext<McpSettings>,
  now: () => number = Date.now,
): readonly PluginRoute[] {
  /** Opens storage only for a DID in a sealed text: this oracle wrote it for the user of a turn. */
  const partsOf = (ctx: OutsideContext): SignInParts => ({
    ...signInParts(ctx, (did) => ctx.storageOf(did).kv),
    now,
  });

  const servers = config.servers.filter(({ auth }) => auth === "oauth");
  if (servers.length === 0) return [];

  const readDocument = route({
    method: "get",
    path: CLIENT_DOCUMENT_PATH,
    public: true,
    id: "readMcpClientDocument",
    summary: "Get the OAuth client metadata",
    description: "The OAuth client id metadata document: its address is the oracle's `client_id`.",
    responses: { 200: { description: "The document", schema: clientDocument } },
    handler: (request, { env, identity }) =>
      Response.json(clientDocumentOf(originOf(request, env), identity.name), {
        headers: { "Cache-Control": "max-age=300" },
      }),
  });

  const showStart = route({
    method: "get",
    path: START_PATH,
    public: true,
    id: "showMcpSignIn",
    summary: "Show the page that begins a sign-in",
    description: "The link of the event `mcp_auth_required`. HTML; nothing happens until the person continues.",
    query: z.object({ ticket: z.string().default("") }),
    async handler(_request, ctx) {
      const { ticket: text } = ctx.query;
      const found = await readTicket(partsOf(ctx), text);
      if (found === undefined) return problemPage("unusable");
      const { server, serverUrl } = found.ticket;
      const { name: oracleName } = ctx.identity;
      return startPage({ oracleName, server, serverUrl, did: found.did, ticket: text, action: START_PATH });
    },
  });

  const leave = route({
    method: "post",
    path: START_PATH,
    public: true,
    id: "beginMcpSignIn",
    summary: "Go to the authorization server",
    description: "The target of the page's form. Uses up the link and redirects.",
    responses: { 303: { description: "A redirect to the authorization server" } },
    async handler(request, ctx) {
      const origin = originOf(request, ctx.env);
      // Otherwise another site could send its visitors past the page with its author's link.
      const from = request.headers.get("Origin");
      if (from !== origin && from !== new URL(request.url).origin) return problemPage("other_site");
      const body = await readLimited(request, FORM_BYTES);
      const form = new URLSearchParams(body.ok ? new TextDecoder().decode(body.value) : "");
      const { name: oracleName } = ctx.identity;
      const fetchFor = signInFetch;
      const left = await setOut(partsOf(ctx), form.get("ticket") ?? "", { origin, oracleName, fetchFor });
      if (!left.ok) return failed(ctx, left.error);
      const { address, id, browser } = left.value;
      return new Response(null, {
        status: 303,
        headers: {
          Location: address.href,
          "Set-Cookie": cookie(request, id, browser, SIGN_IN_MS / MS),
          "Cache-Control": "no-store",
          "Referrer-Policy": "no-referrer",
        },
      });
    },
  });

  const comeBack = route({
    method: "get",
    path: CALLBACK_PATH,
    public: true,
    id: "endMcpSignIn",
    summary: "Handle the redirect from the authorization server",
    description: "The oracle's `redirect_uri`. HTML that says what to do next.",
    query: z.object({
      state: z.string().optional(),
      code: z.string().optional(),
      iss: z.string().optional(),
      error: z.string().optional(),
    }),
    async handler(request, ctx) {
      const cookies = cookiesIn(request);
      const cookieOf = (id: string): string | undefined => cookies.get(cookieName(request, id));
      const arrived = await arrive(partsOf(ctx), ctx.query, { cookieOf, fetchFor: signInFetch });
      if (!arrived.ok) return failed(ctx, arrived.error);
      const { server, issuer, did, id, grant } = arrived.value;
      const parts = partsOf(ctx);
      const needsCode = servers.some(({ name, confirmSignIn }) => name === server && confirmSignIn);
      const code = needsCode ? await awaitCode(parts, did, server, grant) : undefined;
      if (code === undefined) await grantsOf(parts.kvOf(did), parts.sealing, did).save(server, grant);
      ctx.logger.info("mcp-signed-in", { server, issuer, waitsForCode: needsCode });
      const page = code === undefined ? donePage(ctx.identity.name, server, did) : codePage(server, code);
      page.headers.append("Set-Cookie", cookie(request, id, "", 0));
      return page;
    },
  });

  const listSignIns = route({
    method: "get",
    path: "/mcp/oauth",
    id: "listMcpSignIns",
    summary: "List the servers that need a sign-in",
    responses: { 200: { description: "Whether the caller is signed in to each", schema: signIns } },
    async handler(request, ctx) {
      const { kv, sealing, user, env } = ctx;
      // There is no caller only if an operator excludes the route from authentication.
      if (kv === undefined || user === undefined) return Response.json({ servers: [] });
      const grants = grantsOf(kv, sealing, user.did);
      const rows = await Promise.all(
        servers.map(async (server) => {
          const grant = await grants.read(server);
          if (grant === undefined || hasToSignIn(grant, now())) {
            const path = await signInPath(partsOf(ctx), user.did, server, {});
            return { name: server.name, signedIn: false, url: originOf(request, env) + path };
          }
          const { facts, scope } = grant;
          return { name: server.name, signedIn: true, issuer: facts.issuer, ...(scope === undefined ? {} : { scope }) };
        }),
      );
      return Response.json({ servers: rows });
    },
  });

  const signOut = route({
    method: "delete",
    path: "/mcp/oauth/:server",
    id: "endMcpGrant",
    summary: "Sign out of a server",
    description: "Deletes the caller's tokens. The user must revoke the access at the authorization server separately.",
    params: z.object({ server: z.string().max(MAX_SERVER_NAME_LENGTH) }),
    responses: {
      200: {
        description: "Signed out, even if the user was not signed in",
        schema: z.object({ signedOut: z.boolean() }),
      },
    },
    async handler(_request, { kv, sealing, user, params, logger }) {
      const wasSignedIn =
        kv !== undefined && user !== undefined && (await grantsOf(kv, sealing, user.did).forget(params.server));
      if (wasSignedIn) logger.info("mcp-signed-out", { server: params.server });
      return Response.json({ signedOut: wasSignedIn });
    },
  });

  const confirm = route({
    method: "post",
    path: "/mcp/oauth/:server/code",
    id: "confirmMcpSignIn",
    summary: "Complete a sign-in with the code of its last page",
    description: "For servers with `confirmSignIn`. The user can send the code as a chat message instead.",
    params: z.object({ server: z.string().max(MAX_SERVER_NAME_LENGTH) }),
    body: z.object({
      code: z
        .string()
        .max(40)
        .meta({ description: `${CODE_DIGITS} digits; other characters are ignored.` }),
    }),
    responses: {
      200: { description: "The caller is signed in", schema: z.object({ signedIn: z.literal(true) }) },
      404: { description: "No sign-in is waiting for a code" },
      422: { description: "The code is wrong; the sign-in ends after three wrong codes" },
    },
    async handler(_request, ctx) {
      const { user, params, body } = ctx;
      // There is no caller only if an operator excludes the route from authentication.
      const entered =
        user === undefined ? undefined : await enterCode(partsOf(ctx), user.did, params.server, body.code);
      if (entered?.ok === true) return Response.json({ signedIn: true });
      return entered?.error === "wrong"
        ? refuse("unprocessable", "That is not the code on the page", { reason: "wrong_code" })
        : refuse("not_found", "No sign-in is waiting for a code. Sign in again");
    },
  });

  return [readDocument, showStart, leave, comeBack, listSignIns, signOut, confirm];
}

function failed({ logger }: OutsideContext, problem: SignInProblem): Response {
  logger.info("mcp-sign-in-failed", { reason: problem });
  return problemPage(problem);
}

function originOf(request: Request, env: Env): string {
  return publicOrigin(env) ?? new URL(request.url).origin;
}

/** One cookie per journey: concurrent sign-ins do not interfere. The prefix keeps other hosts of the domain from setting it. */
function cookieName(request: Request, id: string): string {
  return `${isSecure(request) ? "__Host-" : ""}mcp-sign-in-${id}`;
}

function cookie(request: Request, id: string, value: string, maxAge: number): string {
  const secure = isSecure(request) ? "; Secure" : "";
  // Lax: the browser returns from another site.
  return `${cookieName(request, id)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

function isSecure(request: Request): boolean {
  return new URL(request.url).protocol === "https:";
}

function cookiesIn(request: Request): ReadonlyMap<string, string> {
  const pairs = (request.headers.get("Cookie") ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
  return new Map(pairs);
}
