/**
 * The feed of changes for indexers (decisions 5.4): every history entry of every domain, in the order of their commits,
 * without gaps. Read by pages, by long poll, or as server-sent events. What is due but not stored is not in it yet.
 */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { success, type Result } from "../../platform/result.ts";
import { eventStream } from "../changes/event-stream.ts";
import { awaitChanges, LOOK_INTERVAL, type Feed } from "../changes/follow.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity } from "../description.ts";
import { historyEntryRecord } from "../domain/domain-schema.ts";
import { PAGE_SIZE } from "../limits.ts";
import { keyed } from "../middleware/keyed.ts";
import { pageLimitOf, queryOf } from "../middleware/query.ts";
import { refused } from "../failures.ts";
import type { FailureDetail } from "../../platform/failure.ts";
import { newestChange, readChanges } from "../store/change-store.ts";

export const changeRoutes = new Hono<RegistryHono>();

/** Seconds that a long poll may wait: below the patience of usual proxies. */
const LONGEST_WAIT = 30;

const changeRecord = historyEntryRecord
  .extend({
    seq: z.int().min(1).meta({ description: "Its place in the feed: one more than that of the change before." }),
    domainId: z.string(),
  })
  .meta({ id: "Change" });

const feedPage = z.object({
  data: z.array(changeRecord),
  page: z.object({
    limit: z.int(),
    hasMore: z.boolean(),
    nextAfter: z.int().meta({ description: "What to send as `after` next, also when there was nothing new." }),
  }),
});

const list: Operation = {
  method: "get",
  path: "/v1/changes",
  id: "listChanges",
  summary: "Every change of every domain, in order and without gaps",
  description:
    "Read with `after=0`, then with the `nextAfter` of each page. With `Accept: text/event-stream` the same entries come as events `change` with `id: seq`; `Last-Event-ID` goes on behind it, comments keep the connection alive, and the stream ends after some minutes for the client to come again.",
  tag: "Changes",
  security: keyedSecurity,
  query: z.object({
    after: z.int().min(0).optional().meta({ description: "Changes behind this seq; 0 unless told." }),
    limit: z.int().min(1).max(PAGE_SIZE.greatest).optional().meta({ description: "At most so many; 20 unless told." }),
    wait: z
      .int()
      .min(0)
      .max(LONGEST_WAIT)
      .optional()
      .meta({ description: "Seconds to wait when there is nothing new. Events never wait." }),
  }),
  headers: z.object({
    "Last-Event-ID": z.string().optional().meta({ description: "Events only; wins over `after`." }),
  }),
  responses: {
    200: {
      description: "One page, or events",
      content: [{ schema: feedPage }, { schema: z.string(), type: "text/event-stream" }],
      headers: { Link: "The next page" },
    },
    ...keyedProblems("validation_failed", "invalid_cursor", "invalid_page_size"),
  },
};

changeRoutes.get(list.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c, ["after", "limit", "wait"]);
  if (!query.ok) return refuse(c, query.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const wait = wholeNumber(query.value.get("wait"), { named: { parameter: "wait" }, most: LONGEST_WAIT });
  if (!wait.ok) return refuse(c, wait.error);
  const streams = wantsEvents(c);
  const after = await position(c, query.value, streams);
  if (!after.ok) return refuse(c, after.error);
  const { feed, leave } = feedFor(c, limit.value);
  if (streams) {
    return c.body(eventStream(feed, after.value, { left: leave, log: c.env.log }), 200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      // For proxies that would collect it.
      "X-Accel-Buffering": "no",
    });
  }
  const { changes, newest } = await awaitChanges(feed, after.value, (wait.value * 1_000) / LOOK_INTERVAL);
  const nextAfter = changes.at(-1)?.seq ?? after.value;
  const next = new URL(c.req.url);
  next.searchParams.set("after", String(nextAfter));
  return c.json({ data: changes, page: { limit: limit.value, hasMore: newest > nextAfter, nextAfter } }, 200, {
    Link: `<${next.pathname}${next.search}>; rel="next"`,
  });
});

export const changeOperations: readonly Operation[] = [list];

function wantsEvents(c: RegistryContext): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(c.req.header("Accept") ?? "");
}

/**
 * Behind which seq to begin. One that the feed has not reached is refused: the database is another one than the client
 * read, and going on would lose what comes.
 */
async function position(c: RegistryContext, query: URLSearchParams, streams: boolean): Promise<Result<number>> {
  const resumed = streams ? c.req.header("Last-Event-ID") : undefined;
  const isHeader = resumed !== undefined;
  const named = isHeader ? ({ header: "Last-Event-ID" } as const) : ({ parameter: "after" } as const);
  const parsed = wholeNumber(resumed ?? query.get("after"), { named, most: Number.MAX_SAFE_INTEGER });
  if (!parsed.ok || parsed.value === 0) return parsed;
  const newest = await newestChange(c.var.runtime.database);
  if (parsed.value <= newest) return parsed;
  const message = `The feed ends at ${newest}; it was begun anew or restored. Read it from the beginning`;
  return refused("invalid_cursor", message, { details: [{ ...named, reason: "invalid_cursor", message }] });
}

function wholeNumber(
  text: string | null | undefined,
  { named, most }: { readonly named: Pick<FailureDetail, "parameter" | "header">; readonly most: number },
): Result<number> {
  if (text === null || text === undefined) return success(0);
  const number = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (number >= 0 && number <= most) return success(number);
  const message = `${named.header ?? named.parameter} must be a whole number from 0 to ${most}`;
  return refused("validation_failed", message, { details: [{ ...named, reason: "range", message }] });
}

/** The feed as one client reads it; `leave` ends every wait of his. */
function feedFor(c: RegistryContext, limit: number): { readonly feed: Feed; readonly leave: () => void } {
  const { database } = c.var.runtime;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  c.req.raw.signal.addEventListener("abort", leave, { once: true });
  return {
    leave,
    feed: {
      newest: () => newestChange(database),
      read: (after) => readChanges(database, after, limit),
      wait: (milliseconds) => delay(milliseconds, leaving.signal),
      isLeft: () => leaving.signal.aborted,
    },
  };
}

function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
