/**
 * The library's transport, which hears that the stream of a response has ended and keeps that to itself: a request would wait for a
 * result that never comes. Here it fails at once.
 */
import { StreamableHTTPClientTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";

/** Made up on this side, in the range that JSON-RPC leaves to implementations. */
export const RESULT_LOST = -32_099;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

export class McpTransport extends StreamableHTTPClientTransport {
  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    const requests = [message].flat().flatMap((one) => ("method" in one && "id" in one ? [one.id] : []));
    return super.send(message, {
      ...options,
      // A request that has its result by now is not waiting for this one.
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        for (const id of requests)
          this.onmessage?.({ jsonrpc: "2.0", id, error: { code: RESULT_LOST, message: "the stream ended early" } });
      },
    });
  }
}
