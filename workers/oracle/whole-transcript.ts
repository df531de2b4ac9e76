/**
 * A whole transcript as JSON text in pieces, page by page from the session: a long one fits neither the memory of an
 * isolate nor what an object may answer with at once (contract/oracle.md sections 1, 6.2, 6.3).
 */
import type { ChatSessionRpc } from "../../durable-objects/chat-session/calls.ts";
import type { PageRequest } from "../../durable-objects/chat-session/runs/transcript.ts";
import type { MessagePage } from "../../protocol/records.ts";
import type { JsonObject } from "../platform/json.ts";
import { success, type Result } from "../platform/result.ts";

/** What such a stream is. */
export const JSON_CONTENT = { "Content-Type": "application/json" };
/** Turns in a page; its size in characters bounds it before that. */
const TURNS = 100;

/**
 * The object `around` with the member `messages`, which lists every record, oldest first. The first page is read before
 * this answers, so that an unknown session is still a fault; later failures, such as a deletion, break the stream.
 */
export async function streamTranscript(
  session: Pick<ChatSessionRpc, "messagePage">,
  caller: string,
  around: JsonObject = {},
): Promise<Result<ReadableStream<Uint8Array>>> {
  const read = (place: Pick<PageRequest, "after" | "fromStart">) =>
    session.messagePage(caller, { limit: TURNS, ...place });
  const first = await read({ fromStart: true });
  if (!first.ok) return first;
  const pieces = write(first.value, (after) => read({ after }), around);
  const encoder = new TextEncoder();
  return success(
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const next = await pieces.next();
          if (next.done === true) controller.close();
          else controller.enqueue(encoder.encode(next.value));
        },
      },
      { highWaterMark: 0 },
    ),
  );
}

async function* write(
  first: MessagePage,
  read: (after: string) => Promise<Result<MessagePage>>,
  around: JsonObject,
): AsyncGenerator<string> {
  yield JSON.stringify({ ...around, messages: [] }).slice(0, -"]}".length);
  let page = first;
  let cursor: string | undefined;
  let last: ReadonlySet<string> = new Set();
  for (let separator = ""; ; separator = ",") {
    // Turns that have not ended are sent again by the next page.
    const fresh = page.messages.filter(({ id }) => !last.has(id));
    if (fresh.length > 0) yield separator + JSON.stringify(fresh).slice(1, -1);
    if (!page.hasNewer || page.nextCursor === null || page.nextCursor === cursor) break;
    last = new Set(page.messages.map(({ id }) => id));
    cursor = page.nextCursor;
    const next = await read(cursor);
    if (!next.ok) throw new Error(next.error.message);
    page = next.value;
  }
  yield "]}";
}
