/**
 * The library's transport ignores the end of a response's stream: a request would wait for a result that never comes. This subclass
 * makes it fail at once.
 */
import { StreamableHTTPClientTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";

/** Defined here, in the range that JSON-RPC leaves to implementations. */
export const RESULT_LOST = -32_099;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

export class McpTransport extends StreamableHTTPClientTransport {
  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    const requests = [message].flat().flatMap((one) => ("method" in one && "id" in one ? [one.id] : []));
    return super.send(message, {
      ...options,
      // Has no effect on a request that already has its result.
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        for (const id of requests)
          this.onmessage?.({ jsonrpc: "2.0", id, error: { code: RESULT_LOST, message: "the stream ended early" } });
      },
    });
  }
}
