/** The server is killed in the middle of an answer and started again over the same storage (issue scenario 2). */
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/dispose-after-tests.ts";
import { createChatUser, type ChatUser } from "../support/chat-user.ts";
import { startRunningServer, type RunningServer } from "../support/running-server.ts";

/** Two seconds of answer: the kill falls into it, and the test need not wait long for its second telling. */
const parts = 40;
const question = `/slow ${parts} 50`;
const wholeAnswer = Array.from({ length: parts }, (_, index) => `part ${index + 1}`).join(" ");

let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
});

async function transcript(user: ChatUser): Promise<string[]> {
  const { messages } = JSON.parse((await user.chat("--history", "--json")).answer);
  return messages.map((message: { type: string; content: string }) => `${message.type}: ${message.content.trim()}`);
}

/** What stands on the terminal once everything is said: the text behind the last mark that took something back. */
function standing(answer: string): string {
  return (answer.split("The answer so far: ---\n").at(-1) ?? "").trim();
}

test("a client that was killed with it gets the rest with --resume; the transcript holds the answer once [OR-82, OR-83, OR-153]", async () => {
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
test("an answer without a reader is finished after the restart too [OR-82, OR-148]", async () => {
  const user = createChatUser(server.url);
  const first = user.start(question);
  await first.answered("part 5 ");
  first.signal("SIGINT");
  await first.end;
  await server.kill();
  await server.startAgain();
  // Nobody but the alarm knows of the run; the history is read until it is there.
  await expect.poll(() => transcript(user), { interval: 500 }).toContain(`ai: ${wholeAnswer}`);
  expect(await transcript(user)).toEqual([`human: ${question}`, `ai: ${wholeAnswer}`]);
});
