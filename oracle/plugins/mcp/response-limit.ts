/**
 * The size of a response. The client library reports a result that was cut off as a lost connection, after which nobody knows whether
 * a write was made. So an error with a code of its own takes the place of a result that is too large.
 */
import * as z from "zod";
import { readStoredJson } from "../../../platform/json.ts";

/** Of one response, bytes: eight times what a tool's result may have. */
export const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** Made up on this side, in the range that JSON-RPC leaves to implementations. */
export const RESULT_TOO_LARGE = -32_098;
/** Of a message, UTF-16 units: a result has its version, its id and the fields of its event before it. */
const HEAD_LENGTH = 512;
/** Ends of an event, and the units of the longest one that may be in the piece before. */
const EVENT_ENDS = ["\n\n", "\r\n\r\n", "\r\r"];
const EVENT_END_REST = 3;

const RESULT = /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*)*"result"\s*:/;
const EVENT_DATA = /(?:^|[\r\n])data: ?([^\r\n]*)/;
const rpcRequest = z.object({ method: z.string(), id: z.union([z.string(), z.number()]) });

/** The response, whose body ends with an error once it is too large. `asked`: the body of the request. */
export function limited(response: Response, asked: RequestInit["body"]): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const isEvents = /^\s*text\/event-stream\b/i.test(headers.get("Content-Type") ?? "");
  const head = isEvents ? newestEvent() : wholeBody();
  const decoder = new TextDecoder();
  /** A body that is one message is passed on at its end, so that an error can take its place. */
  const held: Uint8Array[] = [];
  let left = MAX_RESPONSE_BYTES;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const part = chunk.subarray(0, left);
      head.take(decoder.decode(part, { stream: true }));
      if (chunk.byteLength <= left) {
        left -= chunk.byteLength;
        if (isEvents) controller.enqueue(chunk);
        else held.push(chunk);
        return;
      }
      const instead = RESULT.test(head.message()) ? errorFor(asked) : undefined;
      if (instead === undefined) {
        controller.error(new Error("the response is too large"));
        return;
      }
      // The event that was begun is no JSON, so that it is ignored.
      controller.enqueue(new TextEncoder().encode(isEvents ? `\n\ndata: ${instead}\n\n` : instead));
      controller.terminate();
    },
    flush(controller) {
      for (const chunk of held) controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}

/** The beginning of the message that arrives. */
interface Head {
  take(piece: string): void;
  message(): string;
}

function wholeBody(): Head {
  let head = "";
  return {
    take(piece) {
      head += piece.slice(0, HEAD_LENGTH - head.length);
    },
    message: () => head,
  };
}

function newestEvent(): Head {
  let head = "";
  let before = "";
  return {
    take(piece) {
      const text = before + piece;
      const begins = EVENT_ENDS.map((end) => ({ at: text.lastIndexOf(end), length: end.length }));
      const begin = Math.max(...begins.map(({ at, length }) => (at < 0 ? at : at + length)));
      head = begin < 0 ? head + piece.slice(0, HEAD_LENGTH - head.length) : text.slice(begin, begin + HEAD_LENGTH);
      before = text.slice(-EVENT_END_REST);
    },
    message: () => EVENT_DATA.exec(head)?.[1] ?? "",
  };
}

/** For the request that was asked, if it was one. */
function errorFor(asked: RequestInit["body"]): string | undefined {
  const request = typeof asked === "string" ? readStoredJson(rpcRequest, asked) : undefined;
  const error = { code: RESULT_TOO_LARGE, message: "the result is too large" };
  return request && JSON.stringify({ jsonrpc: "2.0", id: request.id, error });
}
