/** `npm run chat` when connections to the real oracle break, its user interrupts it, or the server is killed. */
import { describe, expect, test } from "vitest";
import { exitCodes } from "../../scripts/chat/command-line.ts";
import { gatedStep, userOf } from "../../test/support/oracle/terminals-in-process.ts";
import { showing } from "../../test/support/oracle/oracle-on-a-port.ts";
import { toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { createGate } from "./testing/scripted-model.ts";

/** Milliseconds before each attempt to resume, counted from the last frame. */
const backOff = [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000];
const afterRun = ({ event }: { readonly event: string }) => event === "run";

describe("a lost connection [OR-153]", () => {
  test("is resumed after the last frame, and the answer is complete", async () => {
    const { steps, open } = gatedStep("one ", "two ", "three");
    // A broken connection loses received frames that the client has not read yet.
    const [one, two] = [createGate(), createGate()];
    const afterwards = (gate: typeof one, next: () => void) => async () => {
      await gate.opened;
      next();
    };
    const { oracle, chat, paths, waits, state } = await userOf({
      steps,
      fates: [
        { kind: "break", after: showing("one "), meanwhile: afterwards(one, open(0)) },
        { kind: "refuse", status: 503 },
        { kind: "break", after: showing("two "), meanwhile: afterwards(two, open(1)) },
      ],
    });
    const { code, answer, notes } = await chat(["hello"], (all) => {
      if (all.includes("one ")) one.open();
      if (all.includes("two ")) two.open();
    });
    expect({ code, answer }).toEqual({ code: exitCodes.ok, answer: "one two three\n" });
    expect(notes).toContain("Connection lost; reconnecting in 0.5 s ...");
    const [first, second] = oracle.runs.map((frames) => frames.at(-1)?.id);
    const joins = [first, first, second].map((after) => `GET /runs/${state()?.run?.runId}?after=${after}`);
    expect(paths().filter((path) => path.startsWith("GET /runs"))).toEqual(joins);
    // A received frame shows that the server is reachable: the next loss starts with the shortest wait.
    expect(waits).toEqual([500, 1000, 500]);
  });

  test("is given up after the last wait, and the run stays resumable", async () => {
    const { steps, open } = gatedStep("one ", "two");
    const away = backOff.map(() => ({ kind: "refuse", status: 503 }) as const);
    const { oracle, chat, waits, state } = await userOf({
      steps,
      fates: [{ kind: "break", after: showing("one "), meanwhile: open(0) }, ...away],
    });
    expect((await chat(["hello"])).code).toBe(exitCodes.unreachable);
    expect(waits).toEqual(backOff);
    expect(state()?.run).toMatchObject({ lastId: oracle.runs[0]?.at(-1)?.id, text: "one ", ended: false });
    expect(await chat(["--resume"])).toMatchObject({ code: exitCodes.ok, answer: "two\n" });
  });

  test("to a run that no longer exists is given up at once", async () => {
    const { oracle, chat, waits, forget } = await userOf({
      fates: [
        { kind: "break", after: afterRun, meanwhile: () => forget(String(oracle.runs[0]?.[0]?.data["sessionId"])) },
      ],
    });
    expect((await chat(["hello"])).code).toBe(exitCodes.runFailed);
    expect(waits).toEqual([500]);
  });
});

describe("Ctrl-C [OR-153]", () => {
  test("ends only the client, and --resume prints the rest", async () => {
    const { steps, open } = gatedStep("one ", "two");
    const { oracle, chat, paths, state } = await userOf({ steps });
    const interrupted = await chat(["hello"], (all, interrupt) => all.includes("one ") && interrupt());
    expect(interrupted).toMatchObject({ code: exitCodes.interrupted, answer: "one " });
    expect(interrupted.notes).toContain("--resume");
    const shown = oracle.runs[0]?.find(showing("one "))?.id;
    expect(state()?.run).toMatchObject({ lastId: shown, ended: false });

    open(0)();
    expect(await chat(["--resume"])).toMatchObject({ code: exitCodes.ok, answer: "two\n" });
    expect(paths().at(-1)).toBe(`GET /runs/${state()?.run?.runId}?after=${shown}`);
    expect(await chat(["--resume"])).toMatchObject({ code: exitCodes.ok, answer: "" });
  });

  test("while waiting for the server ends the wait", async () => {
    const { chat } = await userOf({ fates: [{ kind: "break", after: afterRun }] });
    const { code } = await chat(["hello"], (all, interrupt) => all.includes("Connection lost") && interrupt());
    expect(code).toBe(exitCodes.interrupted);
  });
});

describe("--resume after a kill of the server", () => {
  test("shows what the server withdrew, then the answer so far", async () => {
    const { oracle, chat } = await userOf({
      plugins: [toolPlugin("look", "seen")],
      steps: [["Kept. ", { call: "look", input: {} }], ["Lost", { wait: createGate() }], ["New."]],
    });
    await chat(["hello"], (all, interrupt) => all.includes("Lost") && interrupt());
    oracle.objects.loseSessions();
    const { code, answer } = await chat(["--resume"]);
    expect(code).toBe(exitCodes.ok);
    expect(answer).toBe('\n--- withdrawn: "Lost". The answer so far: ---\nKept. New.\n');
  });
});

test("--resume follows a run that another terminal started", async () => {
  const { steps, open } = gatedStep("one ", "two");
  const { chat, terminal } = await userOf({ steps });
  const other = terminal();
  let follower: ReturnType<typeof chat> | undefined;
  const first = await chat(["hello"], (all) => {
    const sessionId = /session (\S+),/.exec(all)?.[1];
    if (!all.includes("one ") || sessionId === undefined) return;
    follower ??= other.chat(["--resume", "--session", sessionId], (seen) => seen.includes("one ") && open(0)());
  });
  expect(first).toMatchObject({ code: exitCodes.ok, answer: "one two\n" });
  expect(await follower).toMatchObject({ code: exitCodes.ok, answer: "one two\n" });
});
