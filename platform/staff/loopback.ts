/** Recognises requests from a browser on this machine, for rights that exist only on a development machine. */

/** Names that every resolver resolves to the machine itself (RFC 6761), and its two loopback addresses. */
export const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])$/;
/** A tunnel or proxy adds one of these, so the caller may be anywhere, whatever the host is called. */
const FORWARDING_HEADERS = [
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Real-IP",
  "Via",
];

/** Why a request must not get the rights of this machine's developer; undefined if it may. */
export function refusalOfDeveloper({ url, headers }: Request): string | undefined {
  const { hostname, origin } = new URL(url);
  if (!LOOPBACK.test(hostname)) {
    return "Development sign-in works only on the machine that runs the server: open the console at http://localhost";
  }
  if (FORWARDING_HEADERS.some((name) => headers.has(name))) {
    return "Development sign-in does not accept requests through a proxy: sign in with an API key";
  }
  const site = headers.get("Sec-Fetch-Site") ?? "same-origin";
  if (headers.get("Origin") !== origin || site !== "same-origin") {
    return "Development sign-in accepts only requests of the console's own page: open the console and sign in there";
  }
  return undefined;
}
