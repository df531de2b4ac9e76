/** A session's transcript, complete or in pages of turns. */
import * as z from "zod";
import type { ChatSessionRpc } from "../../../durable-objects/chat-session/calls.ts";
import type { PageRequest } from "../../../oracle/runs/transcript.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../protocol/limits.ts";
import { messagePage, transcript, type MessagePage } from "../../../protocol/records.ts";
import { newFailure } from "../../../platform/failure.ts";
import { wholeNumber } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { success, type Result } from "../../../platform/result.ts";
import { signedIn } from "../http/authentication.ts";
import { sessionNotFound } from "../http/failures.ts";
import { countBefore } from "../http/limits.ts";
import { route, sessionParams } from "../http/route.ts";
import { chatSession } from "../objects.ts";

const tag = "Messages";

const cursor = (description: string) =>
  z.string({ error: "must be one cursor" }).min(1, "must be a cursor").optional().meta({ description });

// Counted before, not concurrently: a transcript may be megabytes, which a rejected request must not read.
const pageMessages = route(
  {
    method: "get",
    path: "/sessions/:sessionId/messages",
    id: "pageMessages",
    summary: "Get a page of turns, oldest message first",
    description:
      "Returns the newest page if no cursor is given. A turn that is still running is sent again by the next `after` call.",
    tag,
    auth: signedIn,
    params: sessionParams,
    query: z
      .object({
        limit: wholeNumber({
          minimum: 1,
          fallback: DEFAULT_PAGE_SIZE,
          clamp: MAX_PAGE_SIZE,
          description: "Number of turns.",
        }),
        before: cursor("Returns the turns before this cursor: `prevCursor` of a page."),
        after: cursor("Returns the turns after this cursor: `nextCursor` of a page."),
      })
      .refine(({ before, after }) => before === undefined || after === undefined, {
        error: "before and after cannot be used together",
      }),
    middleware: [countBefore],
    responses: { 200: { description: "The page", content: { schema: messagePage } } },
    failures: [sessionNotFound, newFailure("invalid_request", "Unknown cursor")],
  },
  async ({ env, params, query, caller }) => {
    const page = await chatSession(env, params.sessionId).messagePage(caller.did, query);
    return page.ok ? reply(page.value) : page;
  },
);

const listMessages = route(
  {
    method: "get",
    path: "/messages/:sessionId",
    id: "listMessages",
    summary: "Get the whole transcript, oldest message first",
    tag,
    auth: signedIn,
    params: sessionParams,
    middleware: [countBefore],
    responses: { 200: { description: "The transcript", content: { schema: transcript } } },
    failures: [sessionNotFound],
  },
  async ({ env, params, caller }) => {
    const streamed = await streamTranscript(chatSession(env, params.sessionId), caller.did);
    return streamed.ok ? streamed.value : streamed;
  },
);

export const transcriptRoutes = [pageMessages, listMessages];

/** Turns per page that `streamTranscript` reads; the session limits its size too. */
const TURNS = 100;

/**
 * The object `around` with the member `messages`, written page by page: a long transcript fits neither the memory of an
 * isolate nor one call to an object. The first page is read before this returns, so that an unknown session is a
 * failure; later failures, such as a deletion, abort the stream.
 */
export async function streamTranscript(
  session: Pick<ChatSessionRpc, "messagePage">,
  caller: string,
  around: object = {},
): Promise<Result<Response>> {
  const read = (position: Pick<PageRequest, "after" | "fromStart">) =>
    session.messagePage(caller, { limit: TURNS, ...position });
  const first = await read({ fromStart: true });
  if (!first.ok) return first;
  const pieces = write(first.value, (after) => read({ after }), around);
  const encoder = new TextEncoder();
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  };
  const stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  return success(new Response(stream, { headers: { "Content-Type": "application/json" } }));
}

async function* write(
  first: MessagePage,
  read: (after: string) => Promise<Result<MessagePage>>,
  around: object,
): AsyncGenerator<string> {
  yield JSON.stringify({ ...around, messages: [] }).slice(0, -"]}".length);
  let page = first;
  let cursor: string | undefined;
  let last: ReadonlySet<string> = new Set();
  for (let separator = ""; ; separator = ",") {
    // The next page repeats turns that had not ended.
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
