/**
 * Lists of IP addresses and CIDR ranges, as in `USSD_ALLOWED_IPS` (PH-90, PH-92). An IPv4 address equals its form
 * mapped into IPv6.
 */
export interface AddressRange {
  /** 128 bits; IPv4 is `::ffff:0:0/96`. */
  readonly network: bigint;
  /** Number of significant leading bits, 0 to 128. */
  readonly prefix: number;
}

const IPV6_BITS = 128;
const IPV4_BITS = 32;
const MAPPED_IPV4 = 0xffffn << 32n;
const GROUPS = 8;

/** Entries separated by commas or blanks; undefined if one of them is neither an address nor a range. */
export function parseAddressList(text: string): readonly AddressRange[] | undefined {
  const ranges = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(parseRange);
  return ranges.includes(undefined) ? undefined : ranges.filter((range) => range !== undefined);
}

/** False for an invalid address. */
export function listsAddress(ranges: readonly AddressRange[], address: string): boolean {
  const bits = parseAddress(address);
  if (bits === undefined) return false;
  return ranges.some(({ network, prefix }) => cut(network, prefix) === cut(bits, prefix));
}

function cut(bits: bigint, prefix: number): bigint {
  return bits >> BigInt(IPV6_BITS - prefix);
}

function parseRange(entry: string): AddressRange | undefined {
  const [address = "", length, ...rest] = entry.split("/");
  const network = parseAddress(address);
  const width = address.includes(":") ? IPV6_BITS : IPV4_BITS;
  if (network === undefined || rest.length > 0) return undefined;
  if (length === undefined) return { network, prefix: IPV6_BITS };
  if (!/^\d{1,3}$/.test(length) || Number(length) > width) return undefined;
  return { network, prefix: IPV6_BITS - width + Number(length) };
}

function parseAddress(text: string): bigint | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): bigint | undefined {
  const bytes = text.split(".");
  if (bytes.length !== 4 || !bytes.every((byte) => /^(?:0|[1-9]\d{0,2})$/.test(byte) && Number(byte) < 256)) {
    return undefined;
  }
  return bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), MAPPED_IPV4 >> 32n);
}

function parseIpv6(text: string): bigint | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const left = readGroups(head);
  const right = tail === undefined ? [] : readGroups(tail);
  if (left === undefined || right === undefined) return undefined;
  const missing = GROUPS - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => 0n), ...right];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** Sixteen bits each; the last group may be an IPv4 address, which is two. */
function readGroups(text: string): bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const embedded = index === parts.length - 1 && part.includes(".") ? parseIpv4(part) : undefined;
    if (embedded !== undefined) groups.push((embedded >> 16n) & 0xffffn, embedded & 0xffffn);
    else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
