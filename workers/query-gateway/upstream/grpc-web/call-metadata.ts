/** What a gRPC-web call sends beside its message: the operator's headers, the height and the time. Nothing of the caller's own. */
import { HEIGHT_HEADER } from "../call-headers.ts";
import type { NodeSettings, NodeTry } from "../upstream.ts";

export interface CallMetadata {
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole milliseconds, at least 1. Sent as `grpc-timeout`, so that a node stops working when nobody waits. */
  readonly timeoutMs: number;
}

/** `clock` in Unix milliseconds. */
export function metadataOf(
  { headers }: Pick<NodeSettings, "headers">,
  clock: () => number,
): (call: NodeTry) => CallMetadata {
  // In small letters as ours are: the same name in two spellings would be sent as one value after the other.
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return ({ height, deadline }) => ({
    headers: { ...own, ...(height !== undefined && { [HEIGHT_HEADER]: String(height) }) },
    // Zero would mean forever.
    timeoutMs: Math.max(1, Math.ceil(deadline - clock())),
  });
}
