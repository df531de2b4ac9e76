/**
 * Protects requests that a cookie authenticates from other sites' pages (CSRF). `SameSite=Strict` keeps the cookie away
 * from other sites; these checks also refuse sibling hosts of the site, and pages of another port.
 */

/**
 * Every browser with passkeys sends `Sec-Fetch-Site`, which no page can set. A write also needs the `Origin` of this
 * host; a read from the address bar has `none`.
 */
export function isOfOwnPage({ method, url, headers }: Request): boolean {
  const site = headers.get("Sec-Fetch-Site");
  const reads = method === "GET" || method === "HEAD";
  if (reads) return site === "same-origin" || site === "none";
  return site === "same-origin" && headers.get("Origin") === new URL(url).origin;
}
