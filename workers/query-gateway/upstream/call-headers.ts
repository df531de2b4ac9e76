/**
 * The two headers of a request that reach a node: the height and the time the caller gives. No other header of a caller is passed
 * on, by construction: a call has no place for one.
 */
import { failure, success, type Result } from "../../platform/result.ts";
import { GRPC, type GatewayFault } from "../gateway-fault.ts";
import type { NodeSettings, NodeTry } from "./upstream.ts";

export const HEIGHT_HEADER = "x-cosmos-block-height";
const PREFIXED_HEIGHT_HEADER = `grpc-metadata-${HEIGHT_HEADER}`;

const GREATEST_HEIGHT = 2n ** 63n - 1n;

/** The height; absent for the latest, which 0 means too. The bare header wins over the prefixed one. */
export function readHeight(headers: Headers): Result<bigint | undefined, GatewayFault> {
  const text = headers.get(HEIGHT_HEADER) ?? headers.get(PREFIXED_HEIGHT_HEADER);
  if (text === null || text === "") return success(undefined);
  const height = parseHeight(text);
  if (height === undefined) return invalid(`${HEIGHT_HEADER} must be a block height`);
  return success(height === 0n ? undefined : height);
}

/** A non-negative int64 in decimal digits. */
export function parseHeight(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const height = BigInt(text);
  return height > GREATEST_HEIGHT ? undefined : height;
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** Milliseconds, never more than `most`: a caller may lower the deadline, not lift it. */
export function readTimeout(headers: Headers, most: number): Result<number, GatewayFault> {
  const text = headers.get("grpc-timeout");
  if (text === null) return success(most);
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  const scale = MILLISECONDS[unit];
  if (digits === undefined || scale === undefined)
    return invalid("grpc-timeout must be one to eight digits and one of H, M, S, m, u, n");
  return success(Math.min(Number(digits) * scale, most));
}

/** The height of a node's answer. In-process transports tell it twice, as `7, 7`. */
export function heightOf(told: string | null | undefined): bigint | undefined {
  const first = told?.split(",", 1)[0]?.trim();
  const height = first === undefined ? undefined : parseHeight(first);
  return height === 0n ? undefined : height;
}

function invalid(message: string): { readonly ok: false; readonly error: GatewayFault } {
  return failure({ code: GRPC.invalidArgument, message });
}

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
