/**
 * Limits the size of a response. The client library reports a truncated result as a lost connection, which leaves the outcome of a
 * write unknown. An oversized result is therefore replaced with an error that has its own code.
 */
import * as z from "zod";
import { readStoredJson } from "../../../platform/json.ts";

/** Maximum bytes of one response: eight times the limit of a tool's result. */
export const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** Defined here, in the range that JSON-RPC leaves to implementations. */
export const RESULT_TOO_LARGE = -32_098;
/** How much of a message is parsed, UTF-16 units: a result is preceded by its version, its id and the fields of its event. */
const HEAD_LENGTH = 512;
/** Ends of an event, and how many units of one may be in the previous piece. */
const EVENT_ENDS = ["\n\n", "\r\n\r\n", "\r\r"];
const EVENT_END_REST = 3;

const RESULT = /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*)*"result"\s*:/;
const EVENT_DATA = /(?:^|[\r\n])data: ?([^\r\n]*)/;
const rpcRequest = z.object({ method: z.string(), id: z.union([z.string(), z.number()]) });

/** The response, whose body ends with an error once it is too large. `asked`: the request's body. */
export function limited(response: Response, asked: RequestInit["body"]): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const isEvents = /^\s*text\/event-stream\b/i.test(headers.get("Content-Type") ?? "");
  const head = isEvents ? newestEvent() : wholeBody();
  const decoder = new TextDecoder();
  /** A body with a single message is passed on at its end, so that an error can replace it. */
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
      // The unfinished event is not valid JSON, so it is ignored.
      controller.enqueue(new TextEncoder().encode(isEvents ? `\n\ndata: ${instead}\n\n` : instead));
      controller.terminate();
    },
    flush(controller) {
      for (const chunk of held) controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}

/** The beginning of the arriving message. */
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

/** The error for the request in `asked`, if it was an error. */
function errorFor(asked: RequestInit["body"]): string | undefined {
  const request = typeof asked === "string" ? readStoredJson(rpcRequest, asked) : undefined;
  const error = { code: RESULT_TOO_LARGE, message: "the result is too large" };
  return request && JSON.stringify({ jsonrpc: "2.0", id: request.id, error });
}
