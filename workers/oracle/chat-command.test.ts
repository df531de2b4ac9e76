/** `npm run chat` against the real oracle: its routes over its objects, on a port. */
import { describe, expect, test } from "vitest";
import { RECOVERY_ATTEMPTS } from "../../oracle/runs/run-queue.ts";
import { exitCodes } from "../../scripts/chat/command-line.ts";
import { gatedStep, userOf } from "../../test/support/oracle/terminals-in-process.ts";
import { showing } from "../../test/support/oracle/oracle-on-a-port.ts";
import { createGate, type Beat } from "./testing/scripted-model.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";

describe("a message [OR-153]", () => {
  test("starts a session, streams the answer, and stores the state of an ended run", async () => {
    const { oracle, chat, paths, state } = await userOf();
    const result = await chat(["hello"]);
    const { sessionId, run } = state() ?? {};
    expect(result).toEqual({
      code: exitCodes.ok,
      answer: "You said: hello\n",
      notes: `session ${sessionId}, model local, the built-in development model\nThinking...\n`,
    });
    expect(paths()).toEqual([
      "GET /.well-known/did.json",
      "GET /models",
      "POST /sessions",
      `POST /messages/${sessionId}`,
    ]);
    expect(JSON.parse(oracle.requests.at(-1)?.body ?? "")).toMatchObject({ message: "hello", stream: true });
    expect(oracle.requests.at(-1)?.headers["x-ucan-delegation"]).toEqual(expect.any(String));
    const [began, ended] = [oracle.runs[0]?.at(0), oracle.runs[0]?.at(-1)];
    expect([began?.event, ended?.event]).toEqual(["run", "done"]);
    expect(run).toEqual({ runId: began?.data["runId"], lastId: ended?.id, text: "You said: hello", ended: true });
  });

  test("continues in the last session with --continue, which must exist", async () => {
    const { chat, paths } = await userOf();
    expect((await chat(["--continue", "hello"])).code).toBe(exitCodes.usage);
    await chat(["hello"]);
    expect((await chat(["--continue", "again"])).code).toBe(exitCodes.ok);
    expect(paths().filter((path) => path === "POST /sessions")).toHaveLength(1);
  });

  test("asks for a model, and reports if the server uses another", async () => {
    const { oracle, chat } = await userOf();
    const { notes } = await chat(["--model", "big", "hello"]);
    expect(JSON.parse(oracle.requests.at(-1)?.body ?? "")).toMatchObject({ model: "big" });
    expect(notes).toContain("model local, the built-in development model, because the server does not know big");
  });

  test("prints raw frames with --json, one per line, and nothing else on standard output", async () => {
    const { oracle, chat } = await userOf();
    const { answer } = await chat(["--json", "hello"]);
    const lines = answer.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.map((line) => JSON.parse(line))).toEqual(oracle.runs[0]);
  });

  test("prints with --json the frames of a newer server, even with unknown events", async () => {
    const frames = [
      { event: "router.update", id: 1, data: { step: "thinking" } },
      { event: "done", id: 2, data: { runId: "newer", requestId: "q", status: "finished" } },
    ];
    const stream = frames.map(({ event, id, data }) => `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
    const headers = { "content-type": "text/event-stream", "x-run-id": "newer" };
    const { chat } = await userOf({
      before: ({ path }) => (path.startsWith("/messages/") ? new Response(stream.join(""), { headers }) : undefined),
    });
    const { answer } = await chat(["--json", "hello"]);
    const lines = answer.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(frames);
  });
});

describe("a run that does not finish [OR-153]", () => {
  test("as failed gives exit code 1", async () => {
    const { oracle, chat } = await userOf();
    const { code } = await chat(["/fail rate_limit"]);
    expect(oracle.runs.at(-1)?.at(-1)?.data).toMatchObject({ status: "failed" });
    expect(code).toBe(exitCodes.runFailed);
  });

  test("as aborted gives exit code 1", async () => {
    const { steps } = gatedStep("Starting ", "never");
    const { oracle, chat, terminal } = await userOf({ steps });
    const other = terminal();
    let abort: ReturnType<typeof chat> | undefined;
    const { code } = await chat(["hello"], (all) => {
      const sessionId = /session (\S+),/.exec(all)?.[1];
      if (all.includes("Starting ") && sessionId !== undefined)
        abort ??= other.chat(["--abort", "--session", sessionId]);
    });
    expect(await abort).toMatchObject({ code: exitCodes.ok, notes: "Stopped.\n" });
    expect(oracle.runs.at(-1)?.at(-1)?.data).toMatchObject({ status: "aborted" });
    expect(code).toBe(exitCodes.runFailed);
  });

  test("as interrupted, because the server was lost too often, gives exit code 1", async () => {
    const attempt: readonly Beat[] = ["Starting ", { wait: createGate() }];
    const { oracle, chat } = await userOf({
      steps: Array.from({ length: RECOVERY_ATTEMPTS + 1 }, () => attempt),
      fates: Array.from({ length: RECOVERY_ATTEMPTS + 1 }, () => ({
        kind: "break",
        after: showing("Starting "),
        meanwhile: () => oracle.objects.loseSessions(),
      })),
    });
    const { code } = await chat(["hello"]);
    expect(oracle.runs.at(-1)?.at(-1)?.data).toMatchObject({ status: "interrupted" });
    expect(code).toBe(exitCodes.runFailed);
  });

  test("if it was rejected shows the server's reason and the request id", async () => {
    const { chat } = await userOf({ env: { ORACLE_USER_TURNS_PER_DAY: "1" } });
    await chat(["hello"]);
    const { code, notes } = await chat(["hello"]);
    expect(code).toBe(exitCodes.runFailed);
    expect(notes).toMatch(/You have used today's 1 messages\..* \(request [0-9a-f-]{36}\)\n/);
  });
});

describe("a session that the server no longer knows", () => {
  const advice = 'Start a new one: npm run chat -- "your message"';

  test("leads to a new one if it was the last", async () => {
    const { chat, state, forget } = await userOf();
    await chat(["hello"]);
    expect((await forget(state()?.sessionId ?? "")).ok).toBe(true);
    for (const words of [["--continue", "again"], ["--resume"], ["--history"]]) {
      const { code, notes } = await chat(words);
      expect(code).toBe(exitCodes.runFailed);
      expect(notes).toMatch(/Session not found \(request [0-9a-f-]{36}\)/);
      expect(notes).toContain(advice);
    }
  });

  test("is not replaced if it was only just created", async () => {
    const { chat, forget } = await userOf({
      async before({ path }) {
        const sessionId = /^\/messages\/(.+)$/.exec(path)?.[1];
        if (sessionId !== undefined) await forget(sessionId);
        return undefined;
      },
    });
    const { notes } = await chat(["hello"]);
    expect(notes).toContain("Session not found");
    expect(notes).not.toContain(advice);
  });
});

describe("a server", () => {
  test("that is not running gives exit code 3 and explains how to start one", async () => {
    const { oracle, chat } = await userOf();
    await oracle.close();
    const { code, notes } = await chat(["hello"]);
    expect(code).toBe(exitCodes.unreachable);
    expect(notes).toContain("npm start");
  });

  test("that refuses the identity gets new tokens in two stages, then exit code 4 [OR-195]", async () => {
    // A client whose clock is an hour behind signs expired tokens.
    const { chat, paths } = await userOf({ now: () => Date.now() - 3_600_000 });
    const { code, notes } = await chat(["hello"]);
    expect(code).toBe(exitCodes.unauthorised);
    expect(notes).toContain("Invalid UCAN invocation: expired");
    expect(paths().filter((path) => path === "POST /sessions")).toHaveLength(3);
    // The second stage fetches the audience of the tokens again.
    expect(paths().filter((path) => path === "GET /.well-known/did.json")).toHaveLength(2);
  });

  test("that refuses the delegation gets another one in the second stage [OR-195]", async () => {
    const delegations: unknown[] = [];
    const { chat } = await userOf({
      before({ path, headers }) {
        if (!path.startsWith("/messages/")) return undefined;
        delegations.push(headers["x-ucan-delegation"]);
        if (delegations.length > 2) return undefined;
        const body = {
          statusCode: 403,
          message: "No",
          error: "Forbidden",
          requestId: "",
          code: "forbidden",
          retryable: true,
        };
        return Response.json(body, { status: 403 });
      },
      now: () => Date.now() + delegations.length * 1_000,
    });
    expect((await chat(["hello"])).code).toBe(exitCodes.ok);
    const [first, second, third] = delegations;
    expect([first === second, second === third]).toEqual([true, false]);
  });

  test("that marks an error as not retryable is asked once [OR-195]", async () => {
    const body = {
      statusCode: 403,
      message: "No",
      error: "Forbidden",
      requestId: "r",
      code: "forbidden",
      retryable: false,
    };
    const { chat, paths } = await userOf({
      before: ({ path }) => (path === "/sessions" ? Response.json(body, { status: 403 }) : undefined),
    });
    expect((await chat(["hello"])).code).toBe(exitCodes.runFailed);
    expect(paths().filter((path) => path === "POST /sessions")).toHaveLength(1);
  });

  test("that is another program is distinguished from an error response", async () => {
    const { chat } = await userOf({
      before: ({ path }) => (path === "/models" ? Response.json({ models: "many" }) : undefined),
    });
    const { code, notes } = await chat(["--models"]);
    expect(code).toBe(exitCodes.runFailed);
    expect(notes).toContain("The response of /models does not match its schema");
  });
});

describe("listings", () => {
  test("--models", async () => {
    const { chat } = await userOf();
    const { code, answer, notes } = await chat(["--models"]);
    expect({ code, notes }).toEqual({ code: exitCodes.ok, notes: "" });
    expect(answer).toMatch(/^local {2}local, the built-in development model {2}\S.* \(default\)\n$/);
  });

  test("--sessions marks the last one", async () => {
    const { chat, state } = await userOf();
    await chat(["hello"]);
    const { code, answer, notes } = await chat(["--sessions"]);
    expect({ code, notes }).toEqual({ code: exitCodes.ok, notes: "" });
    expect(answer).toMatch(new RegExp(`^${state()?.sessionId}  \\S.*  \\d{4}-.*Z \\(--continue uses this one\\)\\n$`));
  });

  test("--preferences, and with --json the record", async () => {
    const { chat } = await userOf({ plugins: [userPreferences] });
    await chat(['/tool set_user_preferences {"agentName":"Juno"}']);
    const { code, answer, notes } = await chat(["--preferences"]);
    expect({ code, notes }).toEqual({ code: exitCodes.ok, notes: "" });
    expect(answer).toMatch(/^agentName: Juno\nupdatedAt: \S+Z\n$/);
    const updatedAt = /updatedAt: (\S+)/.exec(answer)?.[1];
    expect(JSON.parse((await chat(["--preferences", "--json"])).answer)).toEqual({ agentName: "Juno", updatedAt });
  });

  test("--history and --abort apply to the last session", async () => {
    const { chat } = await userOf();
    expect((await chat(["--history"])).code).toBe(exitCodes.usage);
    await chat(["hello"]);
    expect(await chat(["--history"])).toMatchObject({ answer: "you> hello\noracle> You said: hello\n" });
    expect(await chat(["--abort"])).toMatchObject({ code: exitCodes.ok, notes: "No answer was being written.\n" });
  });
});

test("wrong usage gives exit code 2, --help gives 0 and needs no server", async () => {
  const { oracle, chat } = await userOf();
  expect(await chat(["--loud"])).toMatchObject({ code: exitCodes.usage, answer: "" });
  expect(await chat(["--help"])).toMatchObject({ code: exitCodes.ok, answer: expect.stringContaining("Usage:") });
  expect(oracle.requests).toEqual([]);
});
