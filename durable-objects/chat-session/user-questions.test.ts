/** `ctx.askUser`: a plugin asks the user a question in its turn. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { calling, openPlay } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { JsonValue } from "../../platform/json.ts";
import { CONNECTION_TIME_LIMIT_MS } from "../../oracle/runs/client-calls.ts";

const ASKED_FOR_MS = 120_000;

/** A turn whose tool asks the user, the outcome, and the turn's stream. */
async function asking(tabs: number) {
  const outcome = Promise.withResolvers<{ readonly answer?: JsonValue | undefined; readonly refused?: string }>();
  const ask = tool("ask", async (_args, { askUser }) => {
    try {
      outcome.resolve({ answer: await askUser("elicitation", { field: "city" }, { timeoutMs: ASKED_FOR_MS }) });
    } catch (thrown) {
      outcome.resolve({ refused: (thrown as Error).message });
    }
    return "asked";
  });
  const { session } = await openPlay([[calling("ask")], ["Done."]], [plugin("p", { getTools: () => [ask] })]);
  const opened = [];
  for (let left = tabs; left > 0; left -= 1) opened.push(await session.tabs.connect());
  const frames = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
  const [shown] = (await frames.until(({ event }) => event === "action_call")).slice(-1);
  return { session, outcome: outcome.promise, frames, shown, tabs: opened, id: String(shown?.data["toolCallId"]) };
}
type Asked = Awaited<ReturnType<typeof asking>>;

const heardBy = ({ heard }: Asked["tabs"][number], id: string) =>
  heard.filter(({ name, payload }) => name === "action_call" && payload["toolCallId"] === id);
const ended = async ({ frames }: Asked) =>
  (await frames.rest()).filter(({ event }) => event === "action_call").map(({ data }) => data);

describe("a question of a plugin [OR-250]", () => {
  test("goes to the stream and to every socket, including later ones; the first answer counts", async () => {
    const asked = await asking(2);
    const { session, shown, id, outcome } = asked;
    const question = { toolName: "elicitation", status: "isRunning" };
    expect(shown?.data).toMatchObject({ ...question, args: { field: "city" } });
    const late = await session.tabs.connect();
    const tabs = [...asked.tabs, late];
    for (const tab of tabs) expect(heardBy(tab, id)).toMatchObject([{ payload: question }]);
    late.emit("action_call_result", { toolCallId: id, result: { city: "Lusaka" } });
    tabs[0]?.emit("action_call_result", { toolCallId: id, result: { city: "Ndola" } });
    expect(await outcome).toEqual({ answer: { city: "Lusaka" } });
    expect(await ended(asked)).toMatchObject([{ toolCallId: id, status: "done", output: '{"city":"Lusaka"}' }]);
  });

  test("is undefined at its deadline, not before, and its frame ends; the turn continues", async () => {
    const asked = await asking(1);
    let isOver = false;
    void asked.outcome.then(() => (isOver = true));
    asked.session.clock.advance(ASKED_FOR_MS - 1);
    await Promise.resolve();
    expect(isOver).toBe(false);
    asked.session.clock.advance(1);
    expect(await asked.outcome).toEqual({ answer: undefined });
    expect(await ended(asked)).toMatchObject([{ status: "error", error: "The question was not answered in time" }]);
  });

  test("is kept for a disconnected client until it returns", async () => {
    const asked = await asking(1);
    asked.tabs[0]?.leave();
    asked.session.clock.advance(CONNECTION_TIME_LIMIT_MS);
    const back = await asked.session.tabs.connect();
    expect(heardBy(back, asked.id)).toHaveLength(1);
    back.emit("action_call_result", { toolCallId: asked.id, result: "yes" });
    expect(await asked.outcome).toEqual({ answer: "yes" });
  });

  test("a client that does not know the event does not count as an answer while another is connected", async () => {
    const asked = await asking(2);
    const [one, other] = asked.tabs;
    one?.emit("action_call_result", { toolCallId: asked.id, error: "Unknown action" });
    other?.emit("action_call_result", { toolCallId: asked.id, result: "yes" });
    expect(await asked.outcome).toEqual({ answer: "yes" });
  });

  test("rejects if no client can show it, if an answer is a failure, and if no client is connected", async () => {
    const unable = await asking(1);
    unable.tabs[0]?.emit("action_call_result", { toolCallId: unable.id, error: "Unknown action" });
    expect(await unable.outcome).toEqual({ refused: "Unknown action" });
    const failed = await asking(1);
    failed.tabs[0]?.emit("action_call_result", { toolCallId: failed.id, result: { success: false, error: "No form" } });
    expect(await failed.outcome).toEqual({ refused: "No form" });
    const alone = await asking(0);
    alone.session.clock.advance(CONNECTION_TIME_LIMIT_MS);
    expect(await alone.outcome).toEqual({ refused: "No browser is connected" });
    expect(await ended(alone)).toMatchObject([{ status: "error", error: "No browser is connected" }]);
  });

  test("ends with its turn, and a later answer is refused", async () => {
    const asked = await asking(1);
    valueOf(await asked.session.core.abort(OWNER));
    expect(await asked.outcome).toEqual({ refused: "The turn has ended" });
    expect(await ended(asked)).toMatchObject([{ status: "error" }]);
    const answer = { kind: "action", invocationId: asked.id, socketId: "s", outcome: { output: "yes" } } as const;
    expect(asked.session.core.finishCall(answer)).toBe("unknown call");
  });
});
