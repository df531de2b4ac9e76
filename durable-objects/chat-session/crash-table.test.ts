/**
 * The effect of losing the process at every point of a tool call: fifty times each, with other calls next to it, other
 * steps before it, other timings and other ways to wake the object. Writes dist/crash-table.md, and compares it with
 * the table in docs/security.md.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { follow, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel, type Beat, type ScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession, type SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import type { Effect } from "../../oracle/framework/tools.ts";

const TIMES = 50;
const root = join(import.meta.dirname, "../..");

const points = ["waits for approval", "before the tool", "inside", "after its result", "before it is settled"] as const;
type Point = (typeof points)[number];
/** `kill` loses the connections too, `evict` only the memory. */
const losses = ["kill", "evict"] as const;

const UNKNOWN = "The outcome of act is unknown; it was not run again";

/** The guarantees that every run of a row must meet. */
const promised: Readonly<Record<Effect, Readonly<Record<Point, { made: readonly number[]; isUnknown: boolean }>>>> = {
  read: {
    "waits for approval": { made: [1], isUnknown: false },
    "before the tool": { made: [1], isUnknown: false },
    inside: { made: [1, 2], isUnknown: false },
    "after its result": { made: [2], isUnknown: false },
    "before it is settled": { made: [2], isUnknown: false },
  },
  write: {
    "waits for approval": { made: [1], isUnknown: false },
    "before the tool": { made: [1], isUnknown: false },
    inside: { made: [0, 1], isUnknown: true },
    "after its result": { made: [1], isUnknown: true },
    "before it is settled": { made: [1], isUnknown: true },
  },
};

/** The agent that makes the call. */
const agents = ["main agent", "sub-agent"] as const;

const rows = agents.flatMap((agent) =>
  points.flatMap((point) =>
    (["read", "write"] as const).flatMap((effect) => losses.map((loss) => ({ agent, point, effect, loss }))),
  ),
);
type Row = (typeof rows)[number];

/** Numbers from 0 up to 1, deterministic for each seed. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

interface Result {
  readonly made: number;
  readonly isUnknown: boolean;
}

/** One run whose process is lost at that point of its call of `act`. */
async function lose({ agent, point, effect, loss }: Row, seed: number): Promise<Result> {
  const random = sequence(seed);
  const upTo = (count: number): number => Math.floor(random() * count);
  const model = createScriptedModel();
  const lost = Promise.withResolvers<void>();
  const dropsConnections: (() => void)[] = [];
  let isArmed = true;
  let made = 0;

  function crash(): void {
    isArmed = false;
    if (loss === "kill") for (const drop of dropsConnections) drop();
    session.restart();
    lost.resolve();
  }
  /** The lost process does nothing after this. */
  async function crashAt(at: Point): Promise<void> {
    if (!isArmed || point !== at) return;
    for (let ticks = upTo(6); ticks > 0; ticks -= 1) await Promise.resolve();
    crash();
    await new Promise(() => undefined);
  }

  const isLostBeforeItsEffect = random() < 0.5;
  const act = {
    ...tool("act", async () => {
      if (isLostBeforeItsEffect) await crashAt("inside");
      made += 1;
      await crashAt("inside");
      return {
        toJSON() {
          if (isArmed && point === "before it is settled") crash();
          return "acted";
        },
      };
    }),
    effect,
    ...(point === "waits for approval" ? { needsApproval: true } : {}),
  };
  const other = { ...tool("other", async () => "seen"), effect: "read" as const };
  const watching = plugin("watching", {
    getTools: () => (agent === "main agent" ? [act, other] : [other]),
    getSubAgents: () => [
      { name: "doer", description: "does", systemPrompt: "Do.", tools: [act, other], forwardTools: true },
    ],
    getMiddlewares: () => [
      {
        name: "watching",
        async wrapToolCall(request, next) {
          if (request.name !== "act") return next(request);
          await crashAt("before the tool");
          const result = await next(request);
          await crashAt("after its result");
          return result;
        },
      },
    ],
  });
  const session: SessionInNode = await startSession({
    settings: { models: chatModels(model), plugins: [watching] },
  });
  const beside = (step: number): Beat[] =>
    Array.from({ length: upTo(3) }, (_, index) => ({ call: "other", input: { step, index } }));
  const earlier = Array.from({ length: upTo(3) }, (_, step): Beat[] => [
    `step ${step} `,
    ...beside(step),
    { call: "other", input: { step } },
  ]);
  const acting: Beat[] = [...beside(8), { call: "act", input: { seed } }, ...beside(9)];
  const delegating: Beat[][] = [
    [...beside(10), { call: "call_doer", input: { task: "act" } }],
    [{ call: "other", input: {} }],
    acting,
    ["Acted."],
  ];
  model.plays(...earlier, ...(agent === "main agent" ? [acting] : delegating), ["Done."]);
  if (random() < 0.5) {
    const tab = await session.tabs.connect();
    dropsConnections.push(() => tab.drop());
  }
  const runId = await start(session, "go");
  if (point === "waits for approval") await loseWhileItWaits(session, runId, crash, upTo(2) === 0);
  await lost.promise;
  session.clock.advance(upTo(25_000));
  await wake(session, upTo(3));
  const frames = await follow(session, runId);
  expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  const record = (await transcript(session))[1]?.toolCalls?.find(({ name }) => name === "act");
  expect(record?.status).toBe("done");
  return { made, isUnknown: outcomeOf(model, agent === "main agent" ? -1 : -2) === UNKNOWN };
}

/** The object is lost while the user is asked; they answer the next object. */
async function loseWhileItWaits(
  session: SessionInNode,
  runId: string,
  crash: () => void,
  overSocket: boolean,
): Promise<void> {
  const idOf = () => session.database.prepare("SELECT id FROM approvals").get()?.["id"];
  await expect.poll(idOf, { interval: 1 }).toBeTypeOf("string");
  const id = String(idOf());
  crash();
  if (!overSocket) {
    expect(valueOf(await session.core.decideApproval(OWNER, runId, id, true))).toEqual({ approved: true });
    return;
  }
  const tab = await session.tabs.connect();
  expect(tab.heard.some(({ name, payload }) => name === "action_call" && payload["toolCallId"] === id)).toBe(true);
  tab.emit("action_call_result", { toolCallId: id, result: { approved: true } });
}

async function wake({ core, tabs }: SessionInNode, way: number): Promise<void> {
  if (way === 0) core.watch();
  else if (way === 1) await core.activeRun(OWNER);
  else await tabs.connect();
}

/** The result of the call in the last request of its agent. */
function outcomeOf({ asked }: ScriptedModel, at: number): unknown {
  const parts = (asked.at(at)?.prompt ?? []).flatMap(({ role, content }) => (role === "tool" ? content : []));
  const part = parts.find((each) => each.type === "tool-result" && each.toolName === "act");
  return part?.type === "tool-result" && "value" in part.output ? part.output.value : undefined;
}

const table = new Map<Row, readonly Result[]>();

test.each(rows)("$agent, $effect, $point, $loss: 50 times [OR-169] [OR-170] [OR-175] [OR-483]", async (row) => {
  const results: Result[] = [];
  for (let seed = 1; seed <= TIMES; seed += 1) results.push(await lose(row, seed * 7_919));
  const { made, isUnknown } = promised[row.effect][row.point];
  expect([...new Set(results.map((each) => each.made))].toSorted((one, two) => one - two)).toEqual(made);
  expect(new Set(results.map((each) => each.isUnknown))).toEqual(new Set([isUnknown]));
  table.set(row, results);
});

test("docs/security.md contains the table that this command prints", () => {
  const lines = rows.map((row) => {
    const results = table.get(row) ?? [];
    const counts = [...new Set(results.map(({ made }) => made))].toSorted((one, two) => one - two).join(" or ");
    const unknowns = results.filter((each) => each.isUnknown).length;
    return `| ${row.agent} | ${row.point} | ${row.effect} | ${row.loss} | ${results.length} | ${counts} | ${unknowns === 0 ? "its result" : "outcome unknown"} |`;
  });
  const text = ["| call of the | lost | effect | by | runs | executed | it reads |", ...lines].join("\n");
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, "dist/crash-table.md"), `${text}\n`);
  const page = readFileSync(join(root, "docs/security.md"), "utf8").replaceAll(/ +\|/g, " |");
  expect(text.split("\n").filter((line) => !page.includes(line))).toEqual([]);
});
