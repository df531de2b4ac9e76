/** Readers of a run get every frame, at their own pace. */
import {
  createFrameStore,
  createRunLog,
  HEARTBEAT_INTERVAL_MS,
  READER_LAG_LIMIT,
  READERS_PER_SESSION,
} from "./frames.ts";
import { describe, expect, test } from "vitest";
import { eventsOf, readFrames } from "../../test/support/oracle/frame-reader.ts";
import { createManualClock } from "../../test/support/clocks/manual-clock.ts";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import { migrate } from "../../platform/object-schema.ts";
import { migrations } from "./schema.ts";

const RUN = 1;

function setUp() {
  const storage = createSqliteStorage();
  migrate(storage, migrations);
  const clock = createManualClock();
  let ended = false;
  const log = createRunLog({ frames: createFrameStore(storage.sql), hasEnded: () => ended, every: clock.every });
  let seq = 0;
  function append(event: string, data: object = {}): void {
    seq += 1;
    log.append(RUN, { seq, event, data: JSON.stringify(data) });
  }
  function finish(): void {
    ended = true;
    append("done");
  }
  return { log, clock, append, finish };
}

async function idsAfter({ log }: ReturnType<typeof setUp>, after: number): Promise<readonly number[]> {
  return (await readFrames(log.follow(RUN, after)).rest()).map(({ id }) => id);
}

describe("following a run [OR-75]", () => {
  test("streams exactly the stored frames above N, then live ones, then done and the end", async () => {
    const run = setUp();
    for (const event of ["run", "reasoning", "message"]) run.append(event);
    const reader = readFrames(run.log.follow(RUN, 1));
    expect((await reader.next())?.id).toBe(2);
    expect((await reader.next())?.id).toBe(3);
    const live = reader.next();
    run.append("message");
    expect((await live)?.id).toBe(4);
    run.finish();
    expect(await reader.rest()).toMatchObject([{ id: 5, event: "done" }]);
  });

  test("replays a finished run above N; at or above its done, done is sent again", async () => {
    const run = setUp();
    for (const event of ["run", "message"]) run.append(event);
    run.finish();
    expect(await idsAfter(run, 0)).toEqual([1, 2, 3]);
    expect(await idsAfter(run, 2)).toEqual([3]);
    expect(await idsAfter(run, 3)).toEqual([3]);
    expect(await idsAfter(run, 99)).toEqual([3]);
    expect(run.clock.pending).toBe(0);
  });

  test("waits for the end of a live run if N is above every frame", async () => {
    const run = setUp();
    run.append("run");
    const frames = readFrames(run.log.follow(RUN, 99)).rest();
    run.append("message");
    run.finish();
    expect(await frames).toMatchObject([{ id: 3, event: "done" }]);
  });

  test("delivers more frames than one pull reads, in order", async () => {
    const run = setUp();
    for (let frame = 0; frame < 511; frame += 1) run.append("message");
    run.finish();
    expect(await idsAfter(run, 0)).toEqual(Array.from({ length: 512 }, (_, index) => index + 1));
  });

  test("the oldest of too many readers is disconnected without done, and may reconnect [OR-74]", async () => {
    const run = setUp();
    run.append("run");
    const readers = Array.from({ length: READERS_PER_SESSION + 1 }, () => readFrames(run.log.follow(RUN, 0)));
    const [first, ...others] = readers.map((reader) => reader.rest());
    expect(await first).toEqual([]);
    expect(run.clock.pending).toBe(READERS_PER_SESSION);
    run.finish();
    for (const frames of await Promise.all(others)) expect(eventsOf(frames)).toEqual(["run", "done"]);
    expect(await idsAfter(run, 0)).toEqual([1, 2]);
    expect(run.clock.pending).toBe(0);
  });

  test("concurrent readers each receive every frame, whenever they joined [OR-75]", async () => {
    const run = setUp();
    const early = readFrames(run.log.follow(RUN, 0)).rest();
    run.append("run");
    const middle = readFrames(run.log.follow(RUN, 0)).rest();
    run.append("message");
    run.finish();
    const late = readFrames(run.log.follow(RUN, 0)).rest();
    const all = await Promise.all([early, middle, late]);
    expect(all.map(eventsOf)).toEqual(Array.from({ length: 3 }, () => ["run", "message", "done"]));
  });

  test("a reader that leaves does not affect another, and leaves no timer", async () => {
    const run = setUp();
    run.append("run");
    const leaving = readFrames(run.log.follow(RUN, 0));
    const staying = readFrames(run.log.follow(RUN, 0));
    await leaving.next();
    await leaving.cancel();
    run.finish();
    expect(eventsOf(await staying.rest())).toEqual(["run", "done"]);
    expect(run.clock.pending).toBe(0);
  });
});

describe("heartbeat [OR-63]", () => {
  test("is sent after every 15 s without frames, without an id, and only to an idle stream", async () => {
    const run = setUp();
    run.append("run");
    const reader = run.log.follow(RUN, 0).getReader();
    const text = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await text()).toBe("event: run\nid: 1\ndata: {}\n\n");
    const silent = text();
    await Promise.resolve();
    run.clock.advance(HEARTBEAT_INTERVAL_MS - 1);
    run.clock.advance(1);
    expect(await silent).toBe(": heartbeat\n\n");
    expect(HEARTBEAT_INTERVAL_MS).toBe(15_000);
    run.finish();
    expect(await text()).toBe("event: done\nid: 2\ndata: {}\n\n");
  });
});

describe("a slow reader [OR-74]", () => {
  /** A frame whose data has exactly this many units. */
  function fill(run: ReturnType<typeof setUp>, units: number): void {
    run.append("message", { content: "x".repeat(units - '{"content":""}'.length) });
  }

  test("at a lag of 1 MiB stays; one unit more disconnects it without done, and others receive everything", async () => {
    const run = setUp();
    const slow = readFrames(run.log.follow(RUN, 0));
    fill(run, READER_LAG_LIMIT);
    expect(run.clock.pending).toBe(1);
    const quick = readFrames(run.log.follow(RUN, 0));
    await quick.next();
    run.append("tick");
    expect(run.clock.pending).toBe(1);
    run.finish();
    expect(eventsOf(await quick.rest())).toEqual(["tick", "done"]);
    expect(await slow.rest()).toEqual([]);
    expect(run.clock.pending).toBe(0);
  });

  test("has the whole limit again after it catches up, and may reconnect for the rest after a disconnect", async () => {
    const run = setUp();
    const slow = readFrames(run.log.follow(RUN, 0));
    fill(run, READER_LAG_LIMIT);
    expect((await slow.next())?.id).toBe(1);
    fill(run, READER_LAG_LIMIT);
    expect((await slow.next())?.id).toBe(2);
    fill(run, READER_LAG_LIMIT);
    run.append("tick");
    expect(await slow.next()).toBeUndefined();
    run.finish();
    expect(await idsAfter(run, 2)).toEqual([3, 4, 5]);
  });
});

test("closing the log ends every stream, including those of ended runs, and clears their timers", async () => {
  const run = setUp();
  run.append("run");
  const live = readFrames(run.log.follow(RUN, 0));
  await live.next();
  const waiting = live.next();
  const unread = readFrames(run.log.follow(RUN, 0));
  run.finish();
  const late = readFrames(run.log.follow(RUN, 0));
  run.log.close();
  expect(await Promise.all([waiting, unread.rest(), late.rest()])).toMatchObject([undefined, [], []]);
  expect(run.clock.pending).toBe(0);
});
