/**
 * Streams that no oracle of this version sends: too long, with wrong types, or made to break the page that shows them.
 */
import { expect, test } from "vitest";
import { MAX_EVENT_LENGTH, readFrames, type RunFrame } from "./run-stream.ts";
import { applyFrame, startTurn } from "./chat/turn.ts";

const encoder = new TextEncoder();

async function read(body: ReadableStream<Uint8Array>): Promise<readonly RunFrame[]> {
  const frames: RunFrame[] = [];
  await readFrames(
    body,
    (frame) => frames.push(frame),
    () => {},
  );
  return frames;
}

const framesOf = (...events: readonly (readonly [string, object])[]) =>
  read(
    new ReadableStream({
      start(controller) {
        for (const [index, [event, data]] of events.entries())
          controller.enqueue(encoder.encode(`event: ${event}\nid: ${index + 1}\ndata: ${JSON.stringify(data)}\n\n`));
        controller.close();
      },
    }),
  );

test("an endless line is abandoned, and takes a bounded amount of memory [SD-27]", async () => {
  const piece = encoder.encode("x".repeat(64 * 1024));
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += piece.length;
      if (sent > 4 * MAX_EVENT_LENGTH) controller.close();
      else controller.enqueue(piece);
    },
    cancel() {
      isCancelled = true;
    },
  });
  await expect(read(endless)).rejects.toThrow("too long");
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThan(MAX_EVENT_LENGTH + 4 * piece.length);
});

test("the longest event is read [SD-27]", async () => {
  const content = "x".repeat(MAX_EVENT_LENGTH - 1000);
  const [frame] = await framesOf(["message", { content }]);
  expect(frame?.data).toEqual({ content });
});

test("members with a wrong type are dropped, so that only text is shown [SD-9]", async () => {
  const wrong = { output: { a: 1 }, error: [], agent: 7, timestamp: {} };
  const [call, error, done] = await framesOf(
    ["tool_call", { requestId: "q", toolName: "t", status: "done", eventId: "e", args: {}, ...wrong }],
    ["error", { error: "No", code: {}, timestamp: 5 }],
    ["done", { status: "aborted", partialText: { length: 1 } }],
  );
  expect([call?.data, error?.data, done?.data]).toEqual([
    { requestId: "q", toolName: "t", status: "done", eventId: "e", args: {} },
    { error: "No" },
    { status: "aborted" },
  ]);
});

test("a question without arguments is a question, and members named like those of objects are members [SD-9]", async () => {
  const text = '{"requestId":"q","toolName":"approve_tool","status":"isRunning","toolCallId":"c"}';
  const frames = await framesOf(
    ["action_call", JSON.parse(text) as object],
    ["__proto__", { a: 1 }],
    ["constructor", { a: 1 }],
    ["tool_call", JSON.parse('{"__proto__":{"toolName":"x"},"requestId":"q","status":"done","eventId":"e"}') as object],
  );
  expect(frames.map(({ event }) => event)).toEqual(["action_call"]);
  const turn = frames.reduce(applyFrame, startTurn({ runId: "r", requestId: "q" }));
  expect(turn.questions.get("c")).toEqual({ toolName: "approve_tool", args: {} });
});

test.each(["constructor", "__proto__", "toString", "later"])(
  "a turn that ends as %j has ended [SD-9]",
  async (status) => {
    const [frame] = await framesOf(["done", { status }]);
    expect(frame?.data).toEqual({ status: "finished" });
  },
);
