/** SHA-256 of a JSON value's canonical form (RFC 8785), by which the registry identifies the parts of a domain. */

/** Members in the order of their names' UTF-16 code units, no white space. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // The default order compares code units.
  const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`).join(",")}}`;
}

/** Lower-case hexadecimal; undefined where the platform lets a page compute none (an insecure connection). */
export async function digestOf(value: unknown): Promise<string | undefined> {
  // Absent outside of secure contexts, whatever its type says.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return undefined;
  const bytes = await subtle.digest("SHA-256", new TextEncoder().encode(canonicalText(value)));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
