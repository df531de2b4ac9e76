/** What answers one rpc of the embedded node: fields of the request in, fields of the response out, at a height. */
import type { EntitySource } from "../../platform/ports.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { GRPC, type GatewayFault } from "../gateway-fault.ts";

/** Fields as protobuf-es names them. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly response: object;
  readonly height: bigint;
}

export type Handler = (request: Fields) => Promise<Result<Answer, GatewayFault>>;

/** Service to method to what answers it; what is not here is not compiled in. */
export type Handlers = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

export interface RegistryParts {
  readonly source: EntitySource;
  /** Of domains that name none. */
  readonly relayerNode: string;
}

/** The registry's revision, at least 1: no chain has a height of 0. */
export function heightOf(revision: number): bigint {
  return BigInt(Math.max(1, revision));
}

export function textField(request: Fields, name: string): string {
  const value = request[name];
  return typeof value === "string" ? value : "";
}

export type Refused = ReturnType<typeof failure<GatewayFault>>;

export function invalid(message: string): Refused {
  return failure({ code: GRPC.invalidArgument, message });
}

export function notFound(message: string): Refused {
  return failure({ code: GRPC.notFound, message });
}

/** A registry that cannot be asked now is a node that is not there; a page that it does not know is the caller's fault. */
export function fromRegistry<Value>(result: Result<Value>): Result<Value, GatewayFault> {
  if (result.ok) return success(result.value);
  const { code, message, retryAfter } = result.error;
  if (code === "invalid_request") return invalid(message);
  return failure({ code: GRPC.unavailable, message, ...(retryAfter !== undefined && { retryAfter }) });
}
