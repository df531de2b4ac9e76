/** Part of the recovery suite: sub-agents and loaded plugins after the object's memory is lost. */
import { expect, test } from "vitest";
import { textOf } from "./frame-reader.ts";
import { plugin, tool } from "../plugins/small-plugins.ts";
import { createGate, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { ATTEMPT_STRIDE, follow, start, transcript, whenAsked, type OpenRecoverable } from "./lost-runs.ts";

const stuck: Beat = { wait: createGate() };

export function describeLostAgents(open: OpenRecoverable): void {
  const look = { ...tool("look", () => "seen"), effect: "read" as const };
  const agent = { name: "scout", description: "looks", systemPrompt: "Look.", forwardTools: true };

  test.each([
    ["that only reads", [look]],
    ["that may write", [look, tool("save", () => "saved")]],
  ])("a sub-agent %s continues when the memory was lost during its task [OR-483]", async (_, tools) => {
    const steps: readonly (readonly Beat[])[] = [
      [{ call: "call_scout", input: { task: "go" } }],
      [{ call: "look", input: {} }],
      [stuck],
      ["Seen."],
      ["Good."],
    ];
    const session = await open(steps, { plugins: [plugin("scouts", { getSubAgents: () => [{ ...agent, tools }] })] });
    const runId = await start(session, "hello");
    await whenAsked(session, 3);
    await session.loseMemory();
    await session.fireAlarm();
    expect(textOf(await follow(session, runId, ATTEMPT_STRIDE))).toBe("Good.");
    expect(session.model.asked).toHaveLength(steps.length);
    expect(JSON.stringify(session.model.asked.at(-1)?.prompt)).toContain("Seen.");
  });

  test("a loaded plugin stays loaded [OR-164]", async () => {
    const manifest = { title: "Eyes", summary: "looks", whenToUse: ["always"] };
    const eyes = plugin("eyes", { manifest, getTools: () => [look] });
    const load: Beat = { call: "load_capability", input: { names: ["eyes"] } };
    const session = await open([[load], [stuck], [{ call: "look", input: {} }], ["Good."]], { plugins: [eyes] });
    const runId = await start(session, "hello");
    await whenAsked(session, 2);
    await session.loseMemory();
    await session.fireAlarm();
    expect(textOf(await follow(session, runId, ATTEMPT_STRIDE))).toBe("Good.");
    const [, answer] = await transcript(session);
    expect(answer?.toolCalls?.map(({ name, output }) => [name, output]).at(-1)).toEqual(["look", '"seen"']);
  });
}
