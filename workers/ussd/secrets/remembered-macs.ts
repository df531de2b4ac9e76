/**
 * The MACs of session ids that an isolate has made lately: a session asks for its own at every step. They are no secret:
 * the log and the audit know sessions by them.
 */

/** Sessions: those that talk at the same time through one isolate, and 200 bytes each. */
export const REMEMBERED_MACS = 1_000;

export function rememberMacs(make: (text: string) => Promise<string>): (text: string) => Promise<string> {
  const known = new Map<string, string>();
  return async (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const mac = await make(text);
    const [oldest] = known.keys();
    if (known.size >= REMEMBERED_MACS && oldest !== undefined) known.delete(oldest);
    known.set(text, mac);
    return mac;
  };
}
