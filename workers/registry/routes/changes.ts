/**
 * The change feed for indexers: every history entry of every domain, in the order of commits, without gaps. Readable by
 * page, by long poll, or as server-sent events. Due steps that are not stored yet are not in it.
 */
import * as z from "zod";
import { reply } from "../../../platform/http/route.ts";
import { success, type Result } from "../../../platform/result.ts";
import { eventStream } from "../changes/event-stream.ts";
import { awaitChanges, LOOK_INTERVAL, type Feed } from "../changes/follow.ts";
import { FOLLOWERS_PER_KEY, NO_PLACE_RETRY_AFTER, type Place } from "../changes/shared-feed.ts";
import type { RegistryContext } from "../context.ts";
import { historyEntryRecord } from "../domain/domain-schema.ts";
import { refused } from "../failures.ts";
import { keyed } from "../http/authentication.ts";
import { pageParameters, wholeNumber } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { meteredPage } from "../http/row-meter.ts";
import { newestChange, readChanges } from "../store/change-store.ts";

/** Maximum seconds of a long poll: below the timeout of common proxies. */
const LONGEST_WAIT = 30;
/** Maximum changes that can be requested from the end of the feed: one page. */
const MOST_LATEST = 100;

const changeRecord = historyEntryRecord
  .extend({
    seq: z.int().min(1).meta({ description: "The position in the feed, one more than the previous change's." }),
    domainId: z.string(),
  })
  .meta({ id: "Change" });

const feedPage = z.object({
  data: z.array(changeRecord),
  page: z.object({
    limit: z.int(),
    hasMore: z.boolean(),
    nextAfter: z.int().meta({ description: "The `after` of the next request, even if there was nothing new." }),
  }),
});

const seq = wholeNumber({ least: 0, greatest: Number.MAX_SAFE_INTEGER });

const list = route(
  {
    method: "get",
    path: "/v1/changes",
    id: "listChanges",
    summary: "List the changes of all domains, in order and without gaps",
    description:
      "Start with `after=0`, then send the `nextAfter` of each page. With `Accept: text/event-stream`, the same entries are sent as `change` events with `id: seq`. `Last-Event-ID` resumes after that entry, comments keep the connection alive, and the stream ends after some minutes so that the client reconnects.",
    tag: "Changes",
    auth: keyed("domains:read"),
    query: z.object({
      after: seq.meta({ description: "Returns the changes after this seq. Default: 0." }),
      latest: wholeNumber({ least: 0, greatest: MOST_LATEST }).meta({
        description: "Returns this number of newest changes, instead of `after`. 0 returns only the end of the feed.",
      }),
      limit: pageParameters.limit,
      wait: wholeNumber({ least: 0, greatest: LONGEST_WAIT }).meta({
        description: "Seconds to wait if there is nothing new. Ignored for events.",
      }),
    }),
    headers: z.object({
      "Last-Event-ID": z.string().optional().meta({ description: "For events only. Takes precedence over `after`." }),
    }),
    responses: {
      200: {
        description: "One page, or events",
        content: [{ schema: feedPage }, { schema: z.string(), type: "text/event-stream" }],
        headers: { Link: "The next page" },
      },
    },
    failures: ["validation_failed", "invalid_cursor"],
  },
  async ({ query: { after = 0, latest, limit, wait = 0 }, headers }, c) => {
    const isStream = /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(c.req.header("Accept") ?? "");
    const lastEventId = isStream ? headers["Last-Event-ID"] : undefined;
    const start =
      latest === undefined || lastEventId !== undefined
        ? await startOf(c, lastEventId, after)
        : success(Math.max(0, (await newestChange(c.var.runtime.database)) - latest));
    if (!start.ok) return start;
    const pageSize = Math.max(limit, latest ?? 0);
    const place = isStream || wait > 0 ? c.var.runtime.feed.join(c.var.caller.keyId) : NO_PLACE;
    if (typeof place === "string") return noPlaceFor[place];
    const { feed, leave } = feedFor(c, pageSize, place);
    if (isStream) {
      return c.body(eventStream(feed, start.value, { left: leave, log: c.env.log }), 200, {
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-store",
        // Keeps proxies from buffering the stream.
        "X-Accel-Buffering": "no",
      });
    }
    const looks = (wait * 1_000) / LOOK_INTERVAL;
    const read = await meteredPage(c, pageSize, () => awaitChanges(feed, start.value, looks)).finally(leave);
    if (!read.ok) return read;
    const { changes, newest } = read.value;
    const nextAfter = changes.at(-1)?.seq ?? start.value;
    const next = new URL(c.req.url);
    next.searchParams.set("after", String(nextAfter));
    const page = { limit, hasMore: newest > nextAfter, nextAfter };
    return reply({ data: changes, page }, { headers: { Link: `<${next.pathname}${next.search}>; rel="next"` } });
  },
);

export const changeRoutes = [list];

/**
 * The seq after which to begin. A seq that the feed has not reached is refused: it comes from another database, and
 * continuing would lose changes.
 */
async function startOf(c: RegistryContext, lastEventId: string | undefined, after: number): Promise<Result<number>> {
  const place = lastEventId === undefined ? { parameter: "after" } : { header: "Last-Event-ID" };
  const resumed = seq.safeParse(lastEventId);
  if (!resumed.success) {
    const message = `Last-Event-ID ${resumed.error.issues[0]?.message ?? ""}`;
    return refused("validation_failed", message, { details: [{ ...place, reason: "range", message }] });
  }
  const start = resumed.data ?? after;
  if (start === 0) return success(start);
  const newest = await newestChange(c.var.runtime.database);
  if (start <= newest) return success(start);
  const message = `The feed ends at ${newest}; it was restarted or restored. Read it from the beginning`;
  return refused("invalid_cursor", message, { details: [{ ...place, reason: "invalid_cursor", message }] });
}

/** The place of a request that does not wait. */
const NO_PLACE: Place = { renew: () => undefined, leave: () => undefined };

const full = (message: string) => refused("rate_limited", message, { retryAfter: NO_PLACE_RETRY_AFTER });
const noPlaceFor = {
  key: full(`This key already follows the feed ${FOLLOWERS_PER_KEY} times; end one of its streams or long polls`),
  isolate: full("Too many clients follow the feed; try again later, or read it in pages"),
};

/** The feed as one client reads it; `leave` ends all its waits and frees its place. */
function feedFor(c: RegistryContext, limit: number, place: Place): { readonly feed: Feed; readonly leave: () => void } {
  const { database, feed: shared, rates } = c.var.runtime;
  const { keyId } = c.var.caller;
  const leaving = new AbortController();
  const leave = (): void => {
    leaving.abort();
    place.leave();
  };
  c.req.raw.signal.addEventListener("abort", leave, { once: true });
  // A key without reads left ends the stream; the client reconnects, and the 429 states the time to wait.
  const charge = (): void => {
    if (!rates.take("read", keyId).admitted) leaving.abort();
  };
  return {
    leave,
    feed: {
      newest: () => shared.newest(charge),
      read: (after, newest) =>
        newest === undefined ? readChanges(database, after, limit) : shared.read(after, limit, newest, charge),
      wait: (milliseconds) => {
        place.renew();
        return delay(Math.min(milliseconds, shared.dueIn()), leaving.signal);
      },
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
