/** Runs followed against the real oracle, over connections that break. */
import { expect, test } from "vitest";
import { clientOfOracle } from "../../../test/support/client-of-oracle.ts";
import { followRun, type RunFrame } from "./run-stream.ts";

test("a message is sent and its run followed to its last frame", async () => {
  const { client, signed } = await clientOfOracle({ steps: [["one ", "two"]] });
  const { sessionId } = await client.sessions.create();
  const frames: RunFrame[] = [];
  const outcome = await followRun({
    http: client.http,
    start: { sessionId, body: { message: "hello" } },
    signal: new AbortController().signal,
    onAccepted: () => {},
    onFrame: (frame) => frames.push(frame),
    onReconnecting: () => {},
    wake: () => () => {},
  });
  expect(outcome).toMatchObject({ kind: "done", done: { status: "finished" } });
  expect(frames.at(-1)?.event).toBe("done");
  expect(signed).toEqual({ delegations: 1, invocations: 1 });
});
