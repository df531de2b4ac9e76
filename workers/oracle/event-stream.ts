/** A run's frames as an HTTP answer (contract/oracle.md section 4.1). The frames' bytes come ready from the session. */
import type { OracleContext } from "./context.ts";

export interface RunStream {
  readonly runId: string;
  /** The turn's own id: on a re-joined run it differs from the request's (section 3.1). */
  readonly requestId: string;
  readonly frames: ReadableStream<Uint8Array>;
}

export async function streamRun(c: OracleContext, { runId, requestId, frames }: RunStream): Promise<Response> {
  // Who asks for the headers alone reads no frame, and a stream that nobody reads would be held open for nothing.
  if (c.req.method === "HEAD") await frames.cancel();
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    // Reverse proxies such as nginx would otherwise collect frames before they pass them on.
    "X-Accel-Buffering": "no",
    "X-Request-Id": requestId,
    "x-run-id": runId,
  };
  return c.req.method === "HEAD" ? c.body(null, 200, headers) : c.body(frames, 200, headers);
}

/** The headers of a stream, for the API description. */
export const streamHeaders = {
  "X-Request-Id": "The id of the turn; every frame carries it.",
  "x-run-id": "The run; `GET /runs/{runId}` joins it again.",
};
