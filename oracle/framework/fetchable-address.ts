/**
 * Which untrusted addresses may be fetched: https on a public host. The check uses the parsed URL that is also fetched, so that no
 * spelling is read in two ways. The platform does not reveal the address that a name resolves to; a Worker's requests leave from
 * Cloudflare's network, never from the operator's.
 */
import ipaddr from "ipaddr.js";
import { failure, success, type Result } from "../../platform/result.ts";

/** Maximum length, characters. */
export const ADDRESS_LENGTH = 4_096;
/** Ports of https: the default, and 8448 for media of Matrix federation. */
const PORTS = ["", "8448"];
/** Last labels of names that have a meaning in local networks. */
const LOCAL_NAMES = ["localhost", "localdomain", "local", "internal", "home.arpa"];

/**
 * The parsed address, or a refusal that begins with "The address" and contains nothing of it but the host. `allowed`: `host`
 * permits the ports of http and https, `host:port` permits that port. Allowed hosts may use http, private addresses and local
 * names.
 */
export function fetchableAddress(address: string | URL, allowed: readonly string[] = []): Result<URL, string> {
  const text = String(address);
  if (text.length > ADDRESS_LENGTH) return failure(`The address has more than ${ADDRESS_LENGTH} characters`);
  const url = URL.parse(text);
  if (url === null) return failure("The address is not an absolute URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") return failure("The address is not an https address");
  if (url.username !== "" || url.password !== "") return failure("The address contains a user name or a password");
  if (isAllowed(url, allowed)) return success(url);
  if (url.protocol !== "https:") return failure("The address is not an https address");
  if (!PORTS.includes(url.port)) return failure("The address has a port other than 443 and 8448");
  if (!isPublic(url.hostname))
    return failure(`The address points to ${url.hostname}, which is not on the public internet`);
  return success(url);
}

function isAllowed({ host, hostname, port }: URL, allowed: readonly string[]): boolean {
  const names = PORTS.includes(port) ? [host, hostname] : [host];
  return allowed.some((entry) => names.includes(entry.toLowerCase()));
}

/** `hostname`: as the URL standard normalises it, with any IPv4 spelling as four numbers. */
function isPublic(hostname: string): boolean {
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  const literal = name.startsWith("[") ? name.slice(1, -1) : name;
  if (ipaddr.isValid(literal)) return isPublicAddress(ipaddr.parse(literal));
  const labels = name.split(".");
  if (labels.length < 2 || labels.includes("")) return false;
  return !LOCAL_NAMES.some((local) => name.endsWith(`.${local}`));
}

/** Only 2000::/3 is public; mapped and translated addresses are outside it, tunnels have separate ranges. */
function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return true;
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  // ISATAP embeds an IPv4 address at the end, after 0:5efe or 200:5efe.
  return first >> 13 === 1 && !(sixth === 0x5efe && (fifth === 0 || fifth === 0x200));
}
