/** A client that disconnects during a run, over a real connection. */
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/running-server.ts";
import { mintInvocation, signer } from "../support/ucan.ts";

/** Three seconds of answer: the client leaves within them. */
const question = "/slow 60 50";
const wholeAnswer = Array.from({ length: 60 }, (_, index) => `part ${index + 1}`).join(" ");

let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
});

/** A new user with a new session. */
async function userOf(key: number) {
  const document = await fetch(`${server.url}/.well-known/did.json`);
  const { id } = await document.json<{ id: string }>();
  const token = await mintInvocation(await signer(key), id, Math.floor(Date.now() / 1000) + 600);
  const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan", "Content-Type": "application/json" };
  const call = (method: string, path: string, more: RequestInit = {}) =>
    fetch(`${server.url}${path}`, { method, headers, ...more });
  const json = async (path: string, method = "GET") => (await call(method, path)).json<Answer>();
  const { sessionId } = await json("/sessions", "POST");
  return { call, json, sessionId };
}

interface Answer {
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
  const body = JSON.stringify({ message: question, stream });
  const asked = call("POST", `/messages/${sessionId}`, { body, signal: leaving.signal });
  const heard = asked.then((response) => response.text()).catch((reason: unknown) => String(reason));
  const running = async () => (await json(`/sessions/${sessionId}/run`)).run;
  // Past the frames that open a turn: the model is speaking.
  await expect.poll(async () => (await running())?.lastSeq, { interval: 50 }).toBeGreaterThan(4);
  leaving.abort();
  expect(await heard).toMatch(/^AbortError/);

  expect(await running()).toMatchObject({ status: "running" });
  await expect.poll(running, { interval: 200 }).toBeNull();
  const { messages } = await json(`/messages/${sessionId}`);
  expect(messages.map(({ type, content }) => `${type}: ${content.trim()}`)).toEqual([
    `human: ${question}`,
    `ai: ${wholeAnswer}`,
  ]);
});
