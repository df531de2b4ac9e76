/** Facts from an answer's headers and body: the gateway's cache, the age, the successor, the next page, the error. */
import { membersOf } from "../../../shared/json-members.ts";
import type { ChainAnswer } from "./ask-gateway.ts";

export interface CacheFacts {
  /**
   * `kept`: from the gateway's cache; `stale`: cached and expired; `shared`: one call shared with others; `node`: a node answered;
   * `none`: answered without a node.
   */
  readonly state: "kept" | "stale" | "shared" | "node" | "none";
  /** Seconds. */
  readonly age: number | undefined;
  /** Seconds that it stays fresh; negative after its expiry. */
  readonly freshFor: number | undefined;
}

/** Reads `Cache-Status` (RFC 9211) and `Age`. */
export function cacheFacts(headers: Headers): CacheFacts {
  const status = headers.get("Cache-Status") ?? "";
  const age = headers.get("Age");
  const ttl = /\bttl=(-?\d+)/.exec(status)?.[1];
  const freshFor = ttl === undefined ? undefined : Number(ttl);
  return {
    state: cacheState(headers, status, freshFor),
    age: age === null ? undefined : Number(age),
    freshFor,
  };
}

function cacheState(headers: Headers, status: string, freshFor: number | undefined): CacheFacts["state"] {
  if (/;\s*hit\b/.test(status)) return freshFor !== undefined && freshFor < 0 ? "stale" : "kept";
  if (/\bfwd=stale\b/.test(status)) return "stale";
  if (/\bcollapsed\b/.test(status)) return "shared";
  return headers.has("X-Gateway-Node") ? "node" : "none";
}

export interface Succession {
  /** Path and query of the successor, with the values of the request. */
  readonly target: string | undefined;
  /** Milliseconds since 1970. */
  readonly since: number | undefined;
}

/** For an answer under a path of an older release (`Deprecation`, RFC 9745, and `Link`). */
export function successionOf(headers: Headers): Succession | undefined {
  const deprecation = headers.get("Deprecation");
  if (deprecation === null) return undefined;
  const seconds = /^@(-?\d+)$/.exec(deprecation)?.[1];
  const target = /<([^>]*)>\s*;\s*rel="?successor-version"?/.exec(headers.get("Link") ?? "")?.[1];
  return { target, since: seconds === undefined ? undefined : Number(seconds) * 1000 };
}

export interface RpcStatus {
  readonly code: number;
  readonly message: string;
}

/** The gRPC status of a refusal. */
export function rpcStatusOf({ status, json }: Pick<ChainAnswer, "status" | "json">): RpcStatus | undefined {
  if (status < 400) return undefined;
  const { code, message } = membersOf(json?.value);
  return typeof code === "number" && typeof message === "string" ? { code, message } : undefined;
}

/** The key of the next page; undefined on the last one. */
export function nextKeyOf({ json }: Pick<ChainAnswer, "json">): string | undefined {
  const { next_key: key } = membersOf(membersOf(json?.value)["pagination"]);
  return typeof key === "string" && key !== "" ? key : undefined;
}
