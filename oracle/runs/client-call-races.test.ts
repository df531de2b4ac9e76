/** Whatever tabs, time and evictions do, in any order: a call is sent at most once and ends once, by its own tab. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { clientCallsOverTabs } from "../../test/support/oracle/client-calls-over-tabs.ts";
import type { Tab } from "../../test/support/oracle/tabs.ts";
import { CONNECTION_TIME_LIMIT_MS, RESULT_TIME_LIMIT_MS, type ClientCall } from "./client-calls.ts";

const TABS = 3;
const RUN = 1;

const tabNumber = fc.nat(TABS - 1);
const action = fc.oneof(
  fc.record({ does: fc.constantFrom("connect", "leave", "drop", "announce", "subscribe"), tab: tabNumber }),
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
      // A client that has disconnected returns under a new id.
      if (does === "leave") known[number] = undefined;
    } else if (does === "announce") connected?.emit("announce_tools", { tools: ["act"], actions: [] });
    else if (does === "subscribe") connected?.emit("subscribe");
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
    // An ended call stays as it is.
    expect(after).toEqual(expect.arrayContaining(before.filter(({ outcome }) => outcome !== null)));
    before = after;
  }
  clock.advance(CONNECTION_TIME_LIMIT_MS + RESULT_TIME_LIMIT_MS);
  calls.expire();
  return { ended: outcomes(), written: tabs.written, made };
}

/** How the call ended, or `wrong` if that ending is not allowed. */
function endingOf(
  { id, outcome }: Ended,
  written: readonly { readonly socketId: string; readonly call: ClientCall }[],
) {
  const invocationId = `${id}:u`;
  const [sent, ...again] = written.filter(({ call }) => call.toolCallId === invocationId);
  if (outcome === null || again.length > 0) return "wrong";
  if (sent === undefined) return outcome === JSON.stringify({ error: "No browser is connected" }) ? "unsent" : "wrong";
  if (outcome === JSON.stringify({ output: sent.socketId })) return "result";
  const isUnknown = outcome.includes('"code":"FRONTEND_OUTCOME_UNKNOWN"') && outcome.includes(invocationId);
  return isUnknown ? "unknown" : "wrong";
}

test("a call is sent at most once, ends once, and only with a result of the tab that received it [OR-98, OR-186, OR-187]", async () => {
  const seen = new Set<string>();
  const example: readonly Action[] = [
    { does: "connect", tab: 0 },
    { does: "call" },
    { does: "answer", tab: 0, back: 0 },
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      const { ended, written, made } = await play([...example, ...actions]);
      expect(ended).toHaveLength(made);
      const endings = ended.map((each) => endingOf(each, written));
      expect(endings).not.toContain("wrong");
      for (const ending of endings) seen.add(ending);
    }),
  );
  // Every ending occurred, so the property is not vacuous.
  expect([...seen].toSorted()).toEqual(["result", "unknown", "unsent"]);
});
