/**
 * Which addresses may be fetched that somebody else names: https on a public host. Checked is what the URL standard makes of
 * the text, which is also what is called, so that no spelling is read in two ways. What a name resolves to the platform does not
 * tell; a Worker's requests leave from Cloudflare's network, never from that of the operator.
 */
import ipaddr from "ipaddr.js";
import { failure, success, type Result } from "../../platform/result.ts";

/** Characters. */
export const ADDRESS_LENGTH = 4_096;
/** Of https, beside its own: Matrix federation serves media on 8448. */
const PORTS = ["", "8448"];
/** Names that a network gives a meaning of its own, as the last labels. */
const LOCAL_NAMES = ["localhost", "localdomain", "local", "internal", "home.arpa"];

/**
 * The address as it is called, or why it is not, in words that begin with "The address" and hold nothing of it but its host.
 * `allowed`: `host` for the ports of http and https, `host:port` for another one. There, http, private addresses and local names
 * are fine.
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

/** `hostname`: in the form of the URL standard, which writes every spelling of an IPv4 address as four numbers. */
function isPublic(hostname: string): boolean {
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  const literal = name.startsWith("[") ? name.slice(1, -1) : name;
  if (ipaddr.isValid(literal)) return isPublicAddress(ipaddr.parse(literal));
  const labels = name.split(".");
  if (labels.length < 2 || labels.includes("")) return false;
  return !LOCAL_NAMES.some((local) => name.endsWith(`.${local}`));
}

/** Only 2000::/3 is given out; mapped and translated addresses lie elsewhere, tunnels in ranges of their own. */
function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return true;
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  // ISATAP carries an IPv4 address at its end: 0:5efe or 200:5efe before it.
  return first >> 13 === 1 && !(sixth === 0x5efe && (fifth === 0 || fifth === 0x200));
}
