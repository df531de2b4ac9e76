import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  standInRun,
  standInSession,
  startOracleStandIn,
  turnOf,
  type StandInScript,
} from "../../test/support/oracle-stand-in.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { exitCodes } from "./failure.ts";
import { backOff } from "./follow-run.ts";
import { runChat } from "./run-chat.ts";
import { openStateFile } from "./state-file.ts";

/** A user with a home directory and a terminal, in front of a scripted oracle. */
async function userOf(script: StandInScript = {}) {
  const oracle = await startOracleStandIn(script);
  onTestFinished(oracle.close);
  const home = temporaryDirectory();
  const waits: number[] = [];
  const paths = () => oracle.requests.map(({ method, path }) => `${method} ${path}`);

  /** `onOutput` sees the terminal after each write, and may interrupt. */
  async function chat(words: readonly string[], onOutput?: (all: string, interrupt: () => void) => void) {
    let answer = "";
    let notes = "";
    const interruption = new AbortController();
    const write = () => onOutput?.(answer + notes, () => interruption.abort());
    const code = await runChat(["--url", oracle.url, ...words], {
      environment: { TWINEDGE_HOME: home },
      projectDirectory: home,
      terminal: {
        answer: (text) => {
          answer += text;
          write();
        },
        note: (text) => {
          notes += text;
          write();
        },
        colours: { answer: false, note: false },
      },
      fetch,
      now: Date.now,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        await Promise.resolve();
        interruption.signal.throwIfAborted();
      },
      randomSeed: () => new Uint8Array(32).fill(7),
      interrupted: interruption.signal,
    });
    return { code, answer, notes };
  }
  return { oracle, chat, waits, paths, state: () => openStateFile(join(home, "chat")).read() };
}

/** The frames of an answer of one delta: `run`, `message`, `done`. */
function threeFrames(text: string) {
  const [run, delta, done] = turnOf(text);
  if (run === undefined || delta === undefined || done === undefined) throw new Error("such a turn has three frames");
  return [run, delta, done] as const;
}

describe("a message", () => {
  test("starts a session, is answered as it comes, and leaves an ended turn behind", async () => {
    const { oracle, chat, paths, state } = await userOf({ frames: turnOf("You said: ", "hello") });
    expect(await chat(["hello"])).toEqual({
      code: exitCodes.ok,
      answer: "You said: hello\n",
      notes: `session ${standInSession}, model local, the built-in development model\n`,
    });
    expect(paths()).toEqual([
      "GET /.well-known/did.json",
      "GET /models",
      "POST /sessions",
      `POST /messages/${standInSession}`,
    ]);
    expect(JSON.parse(oracle.requests.at(-1)?.body ?? "")).toMatchObject({ message: "hello", stream: true });
    expect(oracle.requests.at(-1)?.headers["x-ucan-delegation"]).toEqual(expect.any(String));
    expect(state()?.run).toEqual({ runId: standInRun, lastId: 4, text: "You said: hello", ended: true });
  });

  test("goes on in the last session with --continue, which there must be", async () => {
    const { chat, paths } = await userOf();
    expect((await chat(["--continue", "hello"])).code).toBe(exitCodes.usage);
    await chat(["hello"]);
    expect((await chat(["--continue", "again"])).code).toBe(exitCodes.ok);
    expect(paths().filter((path) => path === "POST /sessions")).toHaveLength(1);
  });

  test("asks for a model, and is told when the server has another in mind", async () => {
    const { oracle, chat } = await userOf();
    const { notes } = await chat(["--model", "big", "hello"]);
    expect(JSON.parse(oracle.requests.at(-1)?.body ?? "")).toMatchObject({ model: "big" });
    expect(notes).toContain("model local, the built-in development model, since the server does not know big");
  });

  test("prints raw frames with --json, one a line, and nothing else on standard output", async () => {
    const [run, delta, done] = threeFrames("Hello.");
    const unknown = { event: "router.update", id: 3, data: { step: "thinking" } };
    const frames = [run, delta, unknown, { ...done, id: 4 }];
    const { chat } = await userOf({ frames });
    const { answer } = await chat(["--json", "hello"]);
    const lines = answer.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(frames);
  });
});

describe("a turn that does not finish", () => {
  test.each(["failed", "aborted", "interrupted"])("as %s gives exit code 1", async (status) => {
    const [run, delta, done] = threeFrames("Starting ");
    const { chat } = await userOf({ frames: [run, delta, { ...done, data: { ...done.data, status } }] });
    expect((await chat(["hello"])).code).toBe(exitCodes.turnFailed);
  });

  test("because it was refused says the server's reason and the request's id", async () => {
    const body = { statusCode: 402, message: "10 credits or fewer left", requestId: "req-9", claims: [] };
    const { chat } = await userOf({ replies: { [`POST /messages/${standInSession}`]: { status: 402, body } } });
    const { code, notes } = await chat(["hello"]);
    expect(code).toBe(exitCodes.turnFailed);
    expect(notes).toContain("10 credits or fewer left (request req-9)");
  });
});

test("a last session that the server no longer knows leads to a new one", async () => {
  const unknown = { status: 404, body: { statusCode: 404, message: "Session not found", requestId: "req-9" } };
  const { chat } = await userOf({
    replies: {
      [`POST /messages/${standInSession}`]: unknown,
      [`GET /messages/${standInSession}`]: unknown,
      [`GET /sessions/${standInSession}/run`]: unknown,
    },
  });
  const advice = 'Start a new one: npm run chat -- "your message"';
  expect((await chat(["hello"])).notes).not.toContain(advice);
  for (const words of [["--continue", "again"], ["--resume"], ["--history"]]) {
    const { code, notes } = await chat(words);
    expect(code).toBe(exitCodes.turnFailed);
    expect(notes).toContain("Session not found (request req-9)");
    expect(notes).toContain(advice);
  }
});

describe("a lost connection", () => {
  test("is joined again behind the last frame, and the answer is whole", async () => {
    const { chat, paths, waits } = await userOf({
      frames: turnOf("one ", "two ", "three"),
      fates: [
        { kind: "break", after: 2 },
        { kind: "refuse", status: 503 },
        { kind: "break", after: 3 },
      ],
    });
    const { code, answer, notes } = await chat(["hello"]);
    expect({ code, answer }).toEqual({ code: exitCodes.ok, answer: "one two three\n" });
    expect(notes).toContain("Connection lost; joining again in 0.5 s ...");
    const joins = [2, 2, 3].map((after) => `GET /runs/${standInRun}?after=${after}`);
    expect(paths().filter((path) => path.startsWith("GET /runs"))).toEqual(joins);
    // A frame that came shows that the server is there: the next loss begins with the shortest wait.
    expect(waits).toEqual([500, 1000, 500]);
  });

  test("is given up after the last wait, and the turn stays resumable", async () => {
    const away = backOff.map(() => ({ kind: "refuse", status: 503 }) as const);
    const { chat, waits, state } = await userOf({
      frames: turnOf("one ", "two"),
      fates: [{ kind: "break", after: 2 }, ...away],
    });
    expect((await chat(["hello"])).code).toBe(exitCodes.unreachable);
    expect(waits).toEqual(backOff);
    expect(state()?.run).toMatchObject({ lastId: 2, text: "one ", ended: false });
    expect(await chat(["--resume"])).toMatchObject({ code: exitCodes.ok, answer: "two\n" });
  });

  test("to a run that is gone for good is given up at once", async () => {
    const { chat, waits } = await userOf({
      fates: [
        { kind: "break", after: 1 },
        { kind: "refuse", status: 404 },
      ],
    });
    expect((await chat(["hello"])).code).toBe(exitCodes.turnFailed);
    expect(waits).toEqual([500]);
  });
});

describe("Ctrl-C", () => {
  test("ends the client alone, and --resume prints the rest", async () => {
    const { chat, paths, state } = await userOf({
      frames: turnOf("one ", "two"),
      fates: [{ kind: "hold", after: 2 }],
    });
    const interrupted = await chat(["hello"], (all, interrupt) => all.includes("one ") && interrupt());
    expect(interrupted).toMatchObject({ code: exitCodes.interrupted, answer: "one " });
    expect(interrupted.notes).toContain("--resume");
    expect(state()?.run).toMatchObject({ lastId: 2, ended: false });

    expect(await chat(["--resume"])).toMatchObject({ code: exitCodes.ok, answer: "two\n" });
    expect(paths().at(-1)).toBe(`GET /runs/${standInRun}?after=2`);
    expect(await chat(["--resume"])).toMatchObject({ code: exitCodes.ok, answer: "" });
  });

  test("while waiting for the server ends the wait", async () => {
    const { chat } = await userOf({ fates: [{ kind: "break", after: 1 }] });
    const { code } = await chat(["hello"], (all, interrupt) => all.includes("Connection lost") && interrupt());
    expect(code).toBe(exitCodes.interrupted);
  });
});

describe("--resume after a kill of the server", () => {
  test("shows what the server took back, then the answer as it stands", async () => {
    const [run, kept, done] = threeFrames("Kept. ");
    const restart = 2 ** 32;
    const frames = [
      run,
      kept,
      { ...kept, id: 3, data: { content: "Lost" } },
      { event: "run", id: restart + 1, data: { ...run.data, resumed: true, attempt: 1, partialLength: 6 } },
      { event: "message", id: restart + 2, data: { content: "New." } },
      { ...done, id: restart + 3 },
    ];
    const { chat } = await userOf({ frames, fates: [{ kind: "hold", after: 3 }] });
    await chat(["hello"], (all, interrupt) => all.includes("Lost") && interrupt());
    const { code, answer } = await chat(["--resume"]);
    expect(code).toBe(exitCodes.ok);
    expect(answer).toBe('\n--- taken back: "Lost". The answer as it stands: ---\nKept. New.\n');
  });

  test("follows a turn that another terminal began", async () => {
    const path = `GET /sessions/${standInSession}/run`;
    const { chat } = await userOf({ replies: { [path]: { status: 200, body: { run: { runId: standInRun } } } } });
    expect(await chat(["--resume", "--session", standInSession])).toMatchObject({
      code: exitCodes.ok,
      answer: "Hello.\n",
    });
  });
});

describe("a server", () => {
  test("that is not there gives exit code 3 and says how to start one", async () => {
    const { oracle, chat } = await userOf();
    await oracle.close();
    const { code, notes } = await chat(["hello"]);
    expect(code).toBe(exitCodes.unreachable);
    expect(notes).toContain("npm start");
  });

  test("that refuses the identity gets one more token, then exit code 4", async () => {
    const body = { statusCode: 401, message: "Invalid UCAN invocation", reason: "wrong_audience" };
    const { chat, paths } = await userOf({ replies: { "POST /sessions": { status: 401, body } } });
    const { code, notes } = await chat(["hello"]);
    expect(code).toBe(exitCodes.unauthorised);
    expect(notes).toContain("Invalid UCAN invocation: wrong_audience");
    expect(paths().filter((path) => path === "POST /sessions")).toHaveLength(2);
  });

  test("that answers something else is told apart from a refusal", async () => {
    const { chat } = await userOf({ replies: { "GET /models": { status: 200, body: { models: "many" } } } });
    const { code, notes } = await chat(["--models"]);
    expect(code).toBe(exitCodes.turnFailed);
    expect(notes).toContain("The answer of /models is not as promised");
  });
});

describe("listings", () => {
  test.each([
    ["--sessions", `${standInSession}  Untitled  2026-11-21T09:00:00.000Z\n`],
    ["--models", "local  local, the built-in development model  $ Deterministic and offline. (default)\n"],
    ["--preferences", "agentName: Juno\n"],
  ])("%s", async (option, listing) => {
    const { chat } = await userOf();
    expect(await chat([option])).toEqual({ code: exitCodes.ok, answer: listing, notes: "" });
  });

  test("--history and --abort are about the last session", async () => {
    const { chat } = await userOf();
    expect((await chat(["--history"])).code).toBe(exitCodes.usage);
    await chat(["hello"]);
    expect(await chat(["--history"])).toMatchObject({ answer: "you> hello\noracle> You said: hello\n" });
    expect(await chat(["--abort"])).toMatchObject({ code: exitCodes.ok, notes: "Stopped.\n" });
  });

  test("--json prints the record", async () => {
    const { chat } = await userOf();
    expect(JSON.parse((await chat(["--preferences", "--json"])).answer)).toEqual({ agentName: "Juno" });
  });
});

test("wrong usage gives exit code 2, --help gives 0 and needs no server", async () => {
  const { oracle, chat } = await userOf();
  expect(await chat(["--loud"])).toMatchObject({ code: exitCodes.usage, answer: "" });
  expect(await chat(["--help"])).toMatchObject({ code: exitCodes.ok, answer: expect.stringContaining("Usage:") });
  expect(oracle.requests).toEqual([]);
});
