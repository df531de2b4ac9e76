/**
 * The cookie of a staff session. Over https its name has the prefix `__Host-`, so that no other host can set it, and it
 * is `Secure`. Browsers do not all store a `Secure` cookie of `http://localhost`, so there it has another name.
 */
import { LOOPBACK } from "./loopback.ts";

const COOKIE = "__Host-twinedge-staff";
const LOOPBACK_COOKIE = "twinedge-staff";
/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

export function sessionTokenOf(request: Request): string | undefined {
  const name = nameFor(request.url);
  const values = (request.headers.get("Cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value, ...others] = values;
  // Two cookies of one name: another page of this host has set one of them.
  return value !== undefined && others.length === 0 && TOKEN.test(value) ? value : undefined;
}

/** `seconds` until the browser forgets the cookie. */
export function sessionCookie(url: string, token: string, seconds: number): string {
  return [`${nameFor(url)}=${token}`, ...attributesFor(url), `Max-Age=${seconds}`].join("; ");
}

export function expiredSessionCookie(url: string): string {
  return sessionCookie(url, "", 0);
}

function isPlainLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && LOOPBACK.test(hostname);
}

function nameFor(url: string): string {
  return isPlainLoopback(url) ? LOOPBACK_COOKIE : COOKIE;
}

function attributesFor(url: string): readonly string[] {
  const always = ["Path=/", "HttpOnly", "SameSite=Strict"];
  return isPlainLoopback(url) ? always : [...always, "Secure"];
}
