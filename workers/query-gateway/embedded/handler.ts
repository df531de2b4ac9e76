/**
 * The handler of one rpc of the embedded node: fields of the request in, fields of the response out, at a height; and
 * `cosmos.base.query.v1beta1` paging as nodes do it.
 */
import type { EntitySource } from "../../../platform/ports.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { GRPC, type NodeStatus } from "../upstream/upstream.ts";

/** Fields with protobuf-es names. */
export type Fields = Readonly<Record<string, unknown>>;

interface HandlerAnswer {
  readonly response: object;
  readonly height: bigint;
}

export type Handler = (request: Fields) => Promise<Result<HandlerAnswer, NodeStatus>>;

/** Maps a service and a method to its handler; other methods are unimplemented. */
export type Handlers = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

/** Answers at the registry's revision, including errors. */
export function atRevision(
  source: Pick<EntitySource, "revision">,
  respond: (request: Fields, height: bigint) => Result<object, NodeStatus>,
): Handler {
  return async (request) => {
    const revision = fromRegistry(await source.revision());
    if (!revision.ok) return revision;
    const height = heightOf(revision.value);
    const response = respond(request, height);
    return response.ok ? success({ response: response.value, height }) : failure({ ...response.error, height });
  };
}

/** The registry's revision, at least 1: no chain has a height of 0. */
export function heightOf(revision: number): bigint {
  return BigInt(Math.max(1, revision));
}

export function textField(request: Fields, name: string): string {
  const value = request[name];
  return typeof value === "string" ? value : "";
}

type Refused = ReturnType<typeof failure<NodeStatus>>;

export function invalid(message: string): Refused {
  return failure({ kind: "status", code: GRPC.invalidArgument, message });
}

export function notFound(message: string): Refused {
  return failure({ kind: "status", code: GRPC.notFound, message });
}

/**
 * An unreadable registry makes the node unavailable; an unknown page key is the caller's error, and a used-up budget
 * exhausts a resource.
 */
export function fromRegistry<Value>(result: Result<Value>): Result<Value, NodeStatus> {
  if (result.ok) return success(result.value);
  const { code, message, retryAfter } = result.error;
  if (code === "invalid_request") return invalid(message);
  const status = code === "rate_limited" ? GRPC.resourceExhausted : GRPC.unavailable;
  return failure({ kind: "status", code: status, message, ...(retryAfter !== undefined && { retryAfter }) });
}

interface Paging {
  /** The first id of the page. */
  readonly from?: string;
  readonly offset: number;
  readonly limit: number;
  readonly count: boolean;
  readonly reverse: boolean;
}

/** The fields of a PageRequest with protobuf-es names. */
interface PageRequest {
  readonly key: Uint8Array;
  readonly offset: bigint;
  readonly limit: bigint;
  readonly countTotal: boolean;
  readonly reverse: boolean;
}

/** Items of a page without a limit, as on nodes. */
const DEFAULT_LIMIT = 100;
/** Maximum items read at once, whatever the profile's `pageLimit`. */
const LIMIT_MAX = 1_000;

export function readPaging(pagination: unknown): Result<Paging, NodeStatus> {
  const { key, offset, limit, countTotal, reverse } = (pagination ?? emptyRequest) as PageRequest;
  if (key.length > 0 && offset > 0n) return invalid("invalid request, either offset or key is expected, got both");
  const from = keyText(key);
  if (from === undefined) return unknownKey;
  const isDefault = limit === 0n;
  return success({
    ...(from !== "" && { from }),
    offset: clamp(offset, Number.MAX_SAFE_INTEGER),
    limit: isDefault ? DEFAULT_LIMIT : clamp(limit, LIMIT_MAX),
    count: from === "" && (isDefault || countTotal),
    reverse,
  });
}

const unknownKey = invalid("invalid pagination key");

/** A PageResponse; `next` is the start of the next page. */
export function pageResponse(next: string | undefined, total: number | undefined): object {
  return { ...(next !== undefined && { nextKey: new TextEncoder().encode(next) }), total: BigInt(total ?? 0) };
}

/** A page of a list in memory, in its own order; keys are positions. */
export function slice<Item>(
  items: readonly Item[],
  { from, offset, limit, count, reverse }: Paging,
): Result<{ readonly items: readonly Item[]; readonly pagination: object }, NodeStatus> {
  if (from !== undefined && !/^\d{1,9}$/.test(from)) return unknownKey;
  const ordered = reverse ? items.toReversed() : items;
  const start = from === undefined ? offset : Number(from);
  const end = start + limit;
  const next = end < ordered.length ? String(end) : undefined;
  const pagination = pageResponse(next, count ? items.length : undefined);
  return success({ items: ordered.slice(start, end), pagination });
}

const emptyRequest: PageRequest = { key: new Uint8Array(), offset: 0n, limit: 0n, countTotal: false, reverse: false };

function clamp(value: bigint, greatest: number): number {
  return value > BigInt(greatest) ? greatest : Number(value);
}

/** Our keys are text; undefined for other bytes. */
function keyText(key: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(key);
  } catch {
    return undefined;
  }
}
