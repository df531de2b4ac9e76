/** The part of wrangler's output that the developer sees: the Worker's own lines. */
import { expect, test } from "vitest";
import { BUILD_FAILURE, plainLine, RUNTIME_CRASH, workerEvent, workerLine } from "./worker-output.ts";

test("the Worker's lines pass, errors and warnings without wrangler's mark", () => {
  const event = '{"level":"error","event":"run-failed"}';
  expect(workerLine(event)).toBe(event);
  expect(workerLine(plainLine(`\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m ${event}`))).toBe(
    event,
  );
  expect(workerLine(`▲ [WARNING] ${event}`)).toBe(event);
});

test("the Worker's events are recognised among wrangler's start-up output", () => {
  const event = '{"level":"error","event":"configuration-wrong"}';
  expect(["Your Worker has access to", `✘ [ERROR] ${event}`, "", event].flatMap(workerEvent)).toEqual([event, event]);
});

test.each(["", "   ", "[wrangler:info] GET /health 200 OK (3ms)", "🪵  Logs were written to a file"])(
  "%j is wrangler's own",
  (line) => {
    expect(workerLine(line)).toBeUndefined();
  },
);

test("a failed build and a dead runtime are recognised by their messages", () => {
  expect(BUILD_FAILURE.test("✘ [ERROR] Build failed with 2 errors:")).toBe(true);
  expect(
    RUNTIME_CRASH.test("[wrangler:warn] The Workers runtime crashed unexpectedly and is being restarted (crash #1)."),
  ).toBe(true);
});
