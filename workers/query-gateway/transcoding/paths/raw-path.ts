/**
 * The undecoded path of a request, cut and decoded for matching (contract D, sections 2.3 and 2.4). Bounds come first:
 * what is too long is refused before any work that grows with it.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import { invalidArgument, tooLong, type TranscodingFault } from "../fault.ts";
import type { TranscodingLimits } from "../limits.ts";

export interface RequestPath {
  /** Decoded once each; a slash inside one came as `%2F`. */
  readonly segments: readonly string[];
  /** The last segment read as `base:verb`, when it can be; it stays data where no template declares the verb. */
  readonly verb?: { readonly base: string; readonly name: string };
}

/** None has a meaning in a name of the chain. */
const CONTROL = /\p{Cc}/u;

const NOT_FOUND: TranscodingFault = { kind: "not-found", message: "Not Found" };

/** `not-found` for a path that no template can match, `invalid-argument` for a malformed escape. */
export function readPath(pathname: string, limits: TranscodingLimits): Result<RequestPath, TranscodingFault> {
  if (pathname.length > limits.pathBytes) return tooLong(`The path is longer than ${limits.pathBytes} bytes`);
  if (!pathname.startsWith("/")) return failure(NOT_FOUND);
  // One more than allowed tells that there are too many.
  const raw = pathname.slice(1).split("/", limits.segments + 1);
  if (raw.length > limits.segments) return tooLong(`The path has more than ${limits.segments} segments`);
  const segments: string[] = [];
  for (const segment of raw) {
    if (segment.length > limits.segmentBytes)
      return tooLong(`A segment of the path is longer than ${limits.segmentBytes} bytes`);
    const decoded = decodeSegment(segment);
    if (decoded === undefined) return invalidArgument("The path holds an escape that is malformed or not UTF-8");
    segments.push(decoded);
  }
  // An empty segment is data only at the end.
  const empty = segments.indexOf("");
  if (empty !== -1 && empty < segments.length - 1) return failure(NOT_FOUND);
  return success({ segments, ...verbOf(raw.at(-1) ?? "") });
}

/** The raw colon decides: `%3Ado` is data, and so is a segment that starts or ends with a colon. */
function verbOf(raw: string): Pick<RequestPath, "verb"> {
  const colon = raw.lastIndexOf(":");
  if (colon < 1 || colon === raw.length - 1) return {};
  const base = decodeSegment(raw.slice(0, colon));
  const name = decodeSegment(raw.slice(colon + 1));
  return base === undefined || name === undefined ? {} : { verb: { base, name } };
}

export function holdsControl(value: string): boolean {
  return CONTROL.test(value);
}

function decodeSegment(raw: string): string | undefined {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
