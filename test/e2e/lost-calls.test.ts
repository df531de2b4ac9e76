/** A real server is killed while a tool runs or waits for its user, and restarted over its storage. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { oracleConfig } from "../support/oracle/oracle-config.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { createSocketUser } from "../support/oracle/socket-user.ts";

/** Counts the calls that began, by tool; a tool that is held gets no answer. */
const begun = new Map<string, string[]>();
const held = new Set<string>();
const open = new Set<ServerResponse>();
const counter = createServer((request, response) => {
  const [, name = "", id = ""] = (request.url ?? "").split("/");
  begun.set(name, [...(begun.get(name) ?? []), id]);
  open.add(response);
  if (!held.has(name)) response.end(`${name} done`);
});

const config = oracleConfig("counting-oracle");
let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  counter.listen(0);
  await once(counter, "listening");
  const { port } = counter.address() as AddressInfo;
  const variables = { COUNTER_URL: `http://localhost:${port}` };
  server = started(await startRunningServer(variables, config.path));
});
afterAll(() => {
  for (const response of open) response.destroy();
  counter.close();
  config.dispose();
});

/** A turn that calls the tool and is killed once the call has begun; returns the answer after the restart. */
async function killInside(tool: string, seed: number): Promise<string> {
  const user = await createSocketUser(server.url, seed);
  const sessionId = await user.openSession();
  held.add(tool);
  const { runId } = await user.send(sessionId, { message: `/tool ${tool} {}` });
  await expect.poll(() => begun.get(tool)?.length).toBe(1);
  await server.kill();
  held.delete(tool);
  await server.startAgain();
  return await answerOf(user, runId);
}

async function answerOf(user: Awaited<ReturnType<typeof createSocketUser>>, runId: string): Promise<string> {
  const frames = await (await user.follow(runId)).rest();
  expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  return frames.flatMap(({ event, data }) => (event === "message" ? [String(data["content"])] : [])).join("");
}

test("a read that was lost during its call is made once more, with its id [OR-170]", async () => {
  expect(await killInside("look", 1)).toBe("Tool look returned: look done");
  const calls = begun.get("look") ?? [];
  expect([calls.length, new Set(calls).size]).toEqual([2, 1]);
});

test("a write that was lost during its call is not repeated, and the model reads that its outcome is unknown [OR-170]", async () => {
  expect(await killInside("pay", 2)).toContain("The outcome of pay is unknown; it was not run again");
  expect(begun.get("pay")).toHaveLength(1);
});

test("an approval survives two kills, and is given without a socket [OR-174, OR-175]", async () => {
  const user = await createSocketUser(server.url, 3);
  const sessionId = await user.openSession();
  const { runId, frames } = await user.send(sessionId, { message: "/tool ask {}" });
  const question = (await frames.until(({ event }) => event === "action_call")).at(-1);
  const id = String(question?.data["toolCallId"]);
  for (let kills = 0; kills < 2; kills += 1) {
    await server.kill();
    await server.startAgain();
  }
  const tab = user.connect(sessionId);
  expect(await tab.event("action_call")).toMatchObject({ toolCallId: id, toolName: "approve_tool" });
  tab.socket.close();
  expect(begun.get("ask")).toBeUndefined();
  const path = `/runs/${runId}/approvals/${id}`;
  const statusOf = async (approved: boolean) => (await user.call("POST", path, { approved })).status;
  expect(await statusOf(true)).toBe(200);
  expect(await answerOf(user, runId)).toContain("ask done");
  expect([await statusOf(true), await statusOf(false)]).toEqual([200, 409]);
  expect(begun.get("ask")).toHaveLength(1);
});
