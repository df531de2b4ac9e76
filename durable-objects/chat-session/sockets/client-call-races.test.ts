/** Whatever tabs, time and evictions do, in whatever order: a call is written once at most and ends once, by its own tab. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { clientCallsOverTabs } from "../../../test/support/client-calls-over-tabs.ts";
import type { Tab } from "../../../test/support/tabs.ts";
import { CONNECTION_TIME_LIMIT_MS, RESULT_TIME_LIMIT_MS, type ClientCall } from "./client-calls.ts";

const TABS = 3;
const RUN = 1;

const tabNumber = fc.nat(TABS - 1);
const action = fc.oneof(
  fc.record({ does: fc.constantFrom("connect", "leave", "drop", "announce", "ping"), tab: tabNumber }),
  fc.record({ does: fc.constant("answer"), tab: tabNumber, back: fc.nat(2) }),
  fc.record({ does: fc.constantFrom("call", "evict") }),
  fc.record({ does: fc.constant("wait"), ms: fc.constantFrom(1, 4_999, 5_000, 10_000, 15_000) }),
);
type Action = { readonly does: string; readonly tab?: number; readonly back?: number; readonly ms?: number };

interface Ended {
  readonly id: string;
  readonly outcome: string | null;
}

async function play(actions: readonly Action[]) {
  const parts = clientCallsOverTabs();
  let { calls } = parts;
  const { tabs, clock, sql } = parts;
  const known: (Tab | undefined)[] = [];
  const isConnected: boolean[] = [];
  let made = 0;
  const outcomes = (): readonly Ended[] =>
    sql.exec<{ id: string; outcome: string | null }>("SELECT tool_call_id AS id, outcome FROM client_calls").toArray();

  async function perform({ does, tab: number = 0, back = 0, ms = 0 }: Action): Promise<void> {
    const tab = known[number];
    const connected = isConnected[number] === true ? tab : undefined;
    if (does === "connect" && connected === undefined) {
      if (tab === undefined) known[number] = await tabs.connect();
      else await tab.comeBack();
      isConnected[number] = true;
    } else if (does === "leave" || does === "drop") {
      connected?.[does]();
      isConnected[number] = false;
      // A client that has said goodbye does not come back as the same.
      if (does === "leave") known[number] = undefined;
    } else if (does === "announce") connected?.emit("announce_tools", { tools: ["act"], actions: [] });
    else if (does === "ping") connected?.emit("ping");
    else if (does === "answer") {
      const written = tabs.written.at(-1 - back);
      if (written !== undefined) connected?.answer(written.call, connected.socketId);
    } else if (does === "call") {
      made += 1;
      const call: ClientCall = {
        toolCallId: `bt_${made}`,
        kind: "browser",
        sessionId: "S",
        name: "act",
        args: {},
        requestId: "r",
      };
      void calls.make(RUN, call);
    } else if (does === "evict") calls = parts.reopen();
    else if (does === "wait") {
      clock.advance(ms);
      calls.expire();
    }
  }

  let before = outcomes();
  for (const each of actions) {
    await perform(each);
    const after = outcomes();
    // What has ended stays as it is.
    for (const { id, outcome } of before)
      if (outcome !== null) expect(after.find((one) => one.id === id)?.outcome).toBe(outcome);
    before = after;
  }
  clock.advance(CONNECTION_TIME_LIMIT_MS + RESULT_TIME_LIMIT_MS);
  calls.expire();
  return { ended: outcomes(), written: tabs.written, made };
}

test("a call is written once at most, ends once, and only with a result of the tab that it was written to [OR-98, OR-186, OR-187]", async () => {
  const seen = { result: 0, unknown: 0, unsent: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      const { ended, written, made } = await play(actions);
      expect(ended).toHaveLength(made);
      for (const { id, outcome } of ended) {
        const sent = written.filter(({ call }) => call.toolCallId === `${id}:u`);
        expect(sent.length).toBeLessThanOrEqual(1);
        const read = JSON.parse(outcome ?? "null") as { output?: unknown; error?: string } | null;
        const [to] = sent;
        if (to === undefined) {
          seen.unsent += 1;
          expect(read).toEqual({ error: "No browser is connected" });
        } else if (typeof read?.output === "string") {
          seen.result += 1;
          expect(read.output).toBe(to.socketId);
        } else {
          seen.unknown += 1;
          expect(read?.output).toMatchObject({ code: "FRONTEND_OUTCOME_UNKNOWN", invocationId: `${id}:u` });
        }
      }
    }),
    { examples: [[[{ does: "connect", tab: 0 }, { does: "call" }, { does: "answer", tab: 0, back: 0 }]]] },
  );
  // Every ending came up, so that the property says something of each.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});
