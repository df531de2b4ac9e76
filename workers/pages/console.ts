/**
 * The web console at `/console`: one page for every path below it, and the files that Vite built. The Worker writes the
 * facts of this deployment into a meta element of the page. Rules CN-1 to CN-9 and CN-11 of docs/reference/console.md.
 */
import { CONSOLE_PATH, readConsoleConfig } from "../../platform/console-config.ts";
import { pageHeaders } from "../../platform/http/page-headers.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { newFailure, type Failure } from "../../platform/failure.ts";
import { oracleError } from "../../platform/http/error-bodies.ts";
import type { Exchange } from "../../platform/surface.ts";
import { answerDevelopmentSignIn, DEVELOPMENT_SIGN_IN_PATH, hasDevelopmentSignIn } from "./development-sign-in.ts";

const HASHED_FILES = `${CONSOLE_PATH}/assets/`;
/** Files next to the page with fixed names, such as an icon or a manifest. */
const NAMED_FILE = /^\/console\/[\w-]+\.[a-z0-9]+$/;
const EMPTY_SETTINGS = /(<meta name="twinedge-settings" content=)"[^"]*"/;
/** A file that only some addresses preload, with their pattern; the build writes it (console/screen-files.ts). */
const LINK_FOR_SOME = /(<link [^>]*?) data-addresses="([^"]*)">\s*/g;
/** Seconds: a year, the maximum for caches. A file with a hash in its name never changes. */
const HASHED_FILE_MAX_AGE = 31_536_000;

export function isConsolePath(path: string): boolean {
  return path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);
}

export async function answerConsole(request: Request, exchange: Exchange): Promise<Response> {
  const { path } = exchange;
  // An author's oracle has no assets: the console belongs to this project.
  const { ASSETS: assets }: Partial<Env> = exchange.env;
  const config = readConsoleConfig(exchange.env);
  if (assets === undefined || !config.ok || !config.value.isOn) return unknownPath(request, exchange);
  if (request.method === "POST" && path === DEVELOPMENT_SIGN_IN_PATH) {
    return answerDevelopmentSignIn(request, exchange, config.value);
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    const allowed = path === DEVELOPMENT_SIGN_IN_PATH ? "GET, HEAD, POST" : "GET, HEAD";
    const failure = newFailure("method_not_allowed", `Method ${request.method} is not allowed here`);
    return refuse(failure, request, exchange, { Allow: allowed });
  }
  if (path.startsWith(HASHED_FILES)) {
    const cached = `public, max-age=${HASHED_FILE_MAX_AGE}, immutable`;
    return (await answerFile(request, assets, cached)) ?? unknownPath(request, exchange);
  }
  const file = NAMED_FILE.test(path) ? await answerFile(request, assets, "no-cache") : undefined;
  return file ?? (await answerPage(request, exchange, assets, config.value.environment));
}

async function answerFile(request: Request, assets: Fetcher, cached: string): Promise<Response | undefined> {
  const found = await assets.fetch(request);
  if (found.status !== 200 && found.status !== 304) {
    await found.body?.cancel();
    return undefined;
  }
  const headers = new Headers(found.headers);
  for (const [name, value] of Object.entries(headersOf(request))) headers.set(name, value);
  headers.set("Cache-Control", cached);
  return new Response(found.body, { status: found.status, headers });
}

async function answerPage(
  request: Request,
  exchange: Exchange,
  assets: Fetcher,
  environment: string,
): Promise<Response> {
  const found = await assets.fetch(new URL(`${CONSOLE_PATH}/`, request.url));
  if (found.status !== 200) {
    await found.body?.cancel();
    return unknownPath(request, exchange);
  }
  const settings = {
    environment,
    surfaces: exchange.served,
    developmentSignIn: hasDevelopmentSignIn(environment, request.url),
  };
  const filled = escapeAttribute(JSON.stringify(settings));
  const place = exchange.path.slice(CONSOLE_PATH.length) || "/";
  const html = (await found.text())
    .replace(EMPTY_SETTINGS, (_, start: string) => `${start}"${filled}"`)
    .replace(LINK_FOR_SOME, (_, link: string, pattern: string) => (new RegExp(pattern).test(place) ? `${link}>` : ""));
  const etag = `"${await sha256Hex(html)}"`;
  const headers = { ...headersOf(request), "Cache-Control": "no-cache", ETag: etag };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : html, {
    headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
  });
}

function headersOf({ url }: Request): Record<string, string> {
  return pageHeaders(consolePolicy(url), { usesPasskeys: true });
}

/** Weak comparison, as RFC 9110 requires: a proxy that compresses the page makes its tag weak. */
function isKnown(request: Request, etag: string): boolean {
  const known = (request.headers.get("If-None-Match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}

/** The characters that a host can have; `;` is possible too, but would start another directive. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

/**
 * Allows only this origin, no inline script or style, and no text that becomes a script: only the policy `twinedge` can
 * create the address of a worker. Sockets are listed too, because not every browser includes them in `'self'`.
 */
export function consolePolicy(url: string): string {
  const { host, protocol } = new URL(url);
  const sockets = PLAIN_HOST.test(host) ? [...(protocol === "http:" ? [`ws://${host}`] : []), `wss://${host}`] : [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ["connect-src 'self'", ...sockets].join(" "),
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types twinedge",
  ].join("; ");
}

function unknownPath(request: Request, exchange: Exchange): Response {
  return refuse(newFailure("not_found", `Cannot ${request.method} ${exchange.path}`), request, exchange);
}

function refuse(
  failure: Failure,
  { method }: Request,
  { path, requestId }: Exchange,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return oracleError(failure, { method, path, requestId }, { headers });
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
