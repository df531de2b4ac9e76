/**
 * Reads, writes and approvals of a run whose object loses its memory: which calls are repeated, and which approvals can still be
 * answered.
 */
import { describe, expect, test } from "vitest";
import { OWNER, valueOf } from "./chat-turns.ts";
import { plugin, tool } from "../plugins/small-plugins.ts";
import { createGate, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { follow, received, start, whenAsked, type OpenRecoverable, type RecoverableSession } from "./lost-runs.ts";

const stuck = createGate();
const unknown = (name: string) => `The outcome of ${name} is unknown; it was not run again`;

/** The outcomes of calls in the model's newest request. */
function outcomes({ model }: Pick<RecoverableSession, "model">): readonly unknown[] {
  const message = model.asked.at(-1)?.prompt.at(-1);
  return message?.role === "tool"
    ? message.content.map((part) => ("output" in part && "value" in part.output ? part.output.value : undefined))
    : [];
}

/** Tools that never return while `hangs` is true, and the ids of the calls that began. */
function hanging(hangs: (times: number) => boolean) {
  const begun: Record<"look" | "pay", string[]> = { look: [], pay: [] };
  const make = (name: "look" | "pay", effect: "read" | "write") => ({
    ...tool(name, async (_, { toolCallId }) => {
      begun[name].push(toolCallId);
      if (hangs(begun[name].length)) await stuck.opened;
      return `${name} done`;
    }),
    effect,
  });
  return { begun, plugins: [plugin("bank", { getTools: () => [make("look", "read"), make("pay", "write")] })] };
}

const both: readonly Beat[] = [
  { call: "look", input: {} },
  { call: "pay", input: {} },
];

export function describeEffects(open: OpenRecoverable): void {
  describe("calls of a run whose object lost its memory [OR-170]", () => {
    test("a lost read is made once more, with its id; a lost write never", async () => {
      const { begun, plugins } = hanging((times) => times === 1);
      const session = await open([both, ["Well."]], { plugins });
      const runId = await start(session, "go");
      await expect.poll(() => begun.pay.length).toBe(1);
      await session.loseMemory();
      expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
      expect([begun.look.length, new Set(begun.look).size, begun.pay.length]).toEqual([2, 1, 1]);
      expect(outcomes(session)).toEqual(["look done", unknown("pay")]);
    });

    test("a read that is lost twice is unknown", async () => {
      const { begun, plugins } = hanging((times) => times <= 2);
      const session = await open([both.slice(0, 1), ["Well."]], { plugins });
      const runId = await start(session, "go");
      for (const times of [1, 2]) {
        await expect.poll(() => begun.look.length).toBe(times);
        await session.loseMemory();
        await session.core.activeRun(OWNER);
      }
      expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
      expect(begun.look).toHaveLength(2);
      expect(outcomes(session)).toEqual([unknown("look")]);
    });

    test("a call that had not begun is made, read or write", async () => {
      const { begun, plugins } = hanging(() => false);
      const session = await open([[{ wait: stuck }], ["Well."]], { plugins });
      const runId = await start(session, "go");
      await whenAsked(session, 1);
      await session.sql("INSERT INTO steps (run, position, text, reasoning) VALUES (1, 0, '', '')");
      for (const [position, name] of ["look", "pay"].entries()) {
        await session.sql(
          `INSERT INTO calls (event_id, run, step, position, model_call_id, name, args, status, effect, tries)
           VALUES ('tc_${name}', 1, 0, ${position}, 'm${position}', '${name}', '{}', 'isRunning', 'write', 0)`,
        );
      }
      await session.loseMemory();
      expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
      expect(begun).toEqual({ look: ["tc_look"], pay: ["tc_pay"] });
      expect(outcomes(session)).toEqual(["look done", "pay done"]);
    });
  });

  test("an approval can be answered after its object lost its memory, and the call is made once [OR-175]", async () => {
    const { begun, plugins } = hanging(() => false);
    const asking = plugins.map((each) => ({
      ...each,
      getTools: async (...given: Parameters<NonNullable<typeof each.getTools>>) =>
        ((await each.getTools?.(...given)) ?? []).map((declared) => ({ ...declared, needsApproval: true })),
    }));
    const session = await open([both.slice(1), ["Well."]], { plugins: asking });
    const runId = await start(session, "go");
    await received(session, runId, ({ event }) => event === "action_call");
    for (let losses = 0; losses < 2; losses += 1) {
      await session.loseMemory();
      expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ runId, status: "running" });
    }
    const [approval] = await session.sql("SELECT id FROM approvals");
    const id = String(approval?.["id"]);
    expect(valueOf(await session.core.decideApproval(OWNER, runId, id, true))).toEqual({ approved: true });
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(begun.pay).toHaveLength(1);
    expect(outcomes(session)).toEqual(["pay done"]);
  });
}
