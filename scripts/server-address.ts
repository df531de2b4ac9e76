/** The server that a tool uses: from `--url` and PORT, whether it is this machine's own, and why it did not answer. */

/** Without a trailing slash. Throws a sentence for an invalid address. */
export function serverAddress(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const port = environment["PORT"] ?? "";
  if (given === undefined && !/^\d{0,5}$/.test(port)) throw new Error("PORT must be a port number");
  const text = given ?? `http://localhost:${port === "" ? "3000" : port}`;
  // Node 20, on which the package's command runs too, has no URL.parse.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw new Error("--url takes an http or https address");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Secrets of `.dev.vars` are sent only there. */
export function isThisMachine(url: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}

/** The sentence of every tool about a server that does not answer. */
export function unreachable(url: string, error: unknown): string {
  return `Cannot reach the server at ${url}: ${reasonOf(error)}.${isThisMachine(url) ? " Start it with: npm start" : ""}`;
}

/** `fetch` says "fetch failed" and has the reason as its cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
