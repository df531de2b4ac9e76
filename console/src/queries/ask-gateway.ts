/** Sends a query and measures it. Every response is a result to show, even a refusal; only a missing response is a failure. */
import { ApiFailure, failureOfThrown } from "../api/api-failure.ts";
import { parseExactly } from "../kit/exact-json.ts";
import { type GatewayRequest, accessHeaders } from "./gateway-request.ts";
import { isQueryPath } from "./query-paths.ts";

export interface ChainAnswer {
  readonly request: GatewayRequest;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly json: { readonly value: unknown } | undefined;
  /** Milliseconds, from Resource Timing if available: total, and until the first byte. */
  readonly duration: number;
  readonly waiting: number | undefined;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** @param secret of a protected chain profile; it is sent only in a header. */
export async function askGateway(
  request: GatewayRequest,
  secret: string,
  { origin, signal }: { readonly origin: string; readonly signal: AbortSignal },
): Promise<ChainAnswer> {
  const { href: url, pathname } = new URL(origin + request.target);
  if (!isQueryPath(pathname))
    throw new ApiFailure({
      status: 400,
      code: "no_query",
      message: "This path belongs to another part of the service. Only chain queries are sent from here.",
    });
  const timing = observeTiming(url);
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method: request.method,
      headers: { ...request.headers, ...accessHeaders(request.access, secret) },
      // The gateway is asked each time: the browser's cache says nothing about the gateway's.
      cache: "no-store",
      // The gateway sends no redirects; following one would carry the key elsewhere.
      redirect: "error",
      credentials: "omit",
      signal,
      ...(request.body !== undefined && { body: request.body }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const measured = performance.now() - started;
    const entry = await timing.entry();
    const text = new TextDecoder().decode(bytes);
    return {
      request,
      status: response.status,
      headers: response.headers,
      bytes,
      text,
      json: jsonOf(text, response.headers.get("Content-Type") ?? ""),
      duration: entry === undefined ? measured : entry.duration,
      waiting: entry === undefined ? undefined : entry.responseStart - entry.requestStart,
      receivedAt: Date.now(),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    throw failureOfThrown(error);
  } finally {
    timing.end();
  }
}

/** Milliseconds to wait for the browser's own measurement, which follows the response a moment later. */
const TIMING_WAIT = 100;

/** Observed instead of looked up: the browser's list of entries fills up in a long-lived page. */
function observeTiming(url: string) {
  let observed: PerformanceResourceTiming | undefined;
  let onObserved = (): void => undefined;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntriesByName(url)) observed = entry as PerformanceResourceTiming;
    onObserved();
  });
  observer.observe({ type: "resource" });
  return {
    entry: async (): Promise<PerformanceResourceTiming | undefined> => {
      if (observed === undefined)
        await new Promise<void>((resolve) => {
          onObserved = resolve;
          setTimeout(resolve, TIMING_WAIT);
        });
      return observed;
    },
    end: () => observer.disconnect(),
  };
}

/** A stream of messages, one per line, becomes a list. */
export function jsonOf(text: string, contentType: string): { readonly value: unknown } | undefined {
  try {
    if (!contentType.includes("ndjson")) return { value: parseExactly(text) };
    const lines = text.split("\n").filter((line) => line !== "");
    return { value: lines.map(parseExactly) };
  } catch {
    return undefined;
  }
}
