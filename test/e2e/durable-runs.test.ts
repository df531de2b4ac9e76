/** Runs on a real server: the client disconnects, or the server is killed during an answer and restarted over its storage. */
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { createChatUser, type ChatUser } from "../support/oracle/terminal-user.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { mintInvocation, signer } from "../support/auth/ucan.ts";

/** Five seconds of answer: the kill happens during it, and resuming it is quick. */
const parts = 100;
const question = `/slow ${parts} 50`;
const wholeAnswer = Array.from({ length: parts }, (_, index) => `part ${index + 1}`).join(" ");

/** Eight seconds of answer: the client disconnects within them. */
const longQuestion = "/slow 160 50";
const longAnswer = Array.from({ length: 160 }, (_, index) => `part ${index + 1}`).join(" ");

let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
});

async function transcript(user: ChatUser): Promise<string[]> {
  const { messages } = JSON.parse((await user.chat("--history", "--json")).answer);
  return messages.map((message: { type: string; content: string }) => `${message.type}: ${message.content.trim()}`);
}

/** The terminal's final text: the part after the last mark that replaced earlier text. */
function standing(answer: string): string {
  return (answer.split("The answer so far: ---\n").at(-1) ?? "").trim();
}

test("a client that was killed too gets the rest with --resume; the transcript has the answer once [OR-82, OR-83, OR-153]", async () => {
  const user = createChatUser(server.url);
  const first = user.start(question);
  await first.answered("part 5 ");
  await server.kill();
  first.signal("SIGKILL");
  await first.end;

  await server.startAgain();
  const { code, answer, notes } = await user.chat("--resume");
  expect(code).toBe(0);
  expect(notes).toContain("The server was restarted and continues the answer.");
  expect(standing(answer)).toBe(wholeAnswer);
  expect(await transcript(user)).toEqual([`human: ${question}`, `ai: ${wholeAnswer}`]);
});

test("a client that stayed reconnects on its own and ends with the whole answer [OR-75, OR-83]", async () => {
  const user = createChatUser(server.url);
  const client = user.start(question);
  await client.answered("part 5 ");
  await server.kill();
  await client.noted("Connection lost");
  await server.startAgain();

  const { code, answer } = await client.end;
  expect(code).toBe(0);
  expect(standing(answer)).toBe(wholeAnswer);
  expect(await transcript(user)).toEqual([`human: ${question}`, `ai: ${wholeAnswer}`]);
});

// The alarm that finds the run is at most 30 s ahead, and a start takes its time too.
test("an answer without a reader is also finished after the restart [OR-82, OR-148]", async () => {
  const user = createChatUser(server.url);
  const first = user.start(question);
  await first.answered("part 5 ");
  first.signal("SIGINT");
  await first.end;
  await server.kill();
  await server.startAgain();
  // Only the alarm resumes the run; the history is polled until the answer appears.
  await expect.poll(() => transcript(user), { interval: 500 }).toContain(`ai: ${wholeAnswer}`);
  expect(await transcript(user)).toEqual([`human: ${question}`, `ai: ${wholeAnswer}`]);
});

/** A new user with a new session. */
async function userOf(key: number) {
  const document = await fetch(`${server.url}/.well-known/did.json`);
  const { id } = await document.json<{ id: string }>();
  const token = await mintInvocation(await signer(key), id, Math.floor(Date.now() / 1000) + 600);
  const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan", "Content-Type": "application/json" };
  const call = (method: string, path: string, more: RequestInit = {}) =>
    fetch(`${server.url}${path}`, { method, headers, ...more });
  const json = async (path: string, method = "GET") => (await call(method, path)).json<SessionBody>();
  const { sessionId } = await json("/sessions", "POST");
  return { call, json, sessionId };
}

interface SessionBody {
  readonly sessionId: string;
  readonly run: { readonly status: string; readonly lastSeq: number } | null;
  readonly messages: readonly { readonly type: string; readonly content: string }[];
}

test.each([
  [1, false],
  [2, true],
])("user %d with stream %j disconnects: the run finishes and its answer is stored [OR-55]", async (key, stream) => {
  const { call, json, sessionId } = await userOf(key);
  const leaving = new AbortController();
  const body = JSON.stringify({ message: longQuestion, stream });
  const asked = call("POST", `/messages/${sessionId}`, { body, signal: leaving.signal });
  const received = asked.then((response) => response.text()).catch((reason: unknown) => String(reason));
  const running = async () => (await json(`/sessions/${sessionId}/run`)).run;
  // Past the frames that open a run: the model is streaming.
  await expect.poll(async () => (await running())?.lastSeq, { interval: 50 }).toBeGreaterThan(4);
  leaving.abort();
  expect(await received).toMatch(/^AbortError/);

  expect(await running()).toMatchObject({ status: "running" });
  await expect.poll(running, { interval: 200 }).toBeNull();
  const { messages } = await json(`/messages/${sessionId}`);
  expect(messages.map(({ type, content }) => `${type}: ${content.trim()}`)).toEqual([
    `human: ${longQuestion}`,
    `ai: ${longAnswer}`,
  ]);
});
