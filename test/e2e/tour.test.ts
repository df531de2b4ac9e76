/** The tour runs a whole conversation with every plugin, as the program that `npm run tour` starts. */
import { expect, inject, test } from "vitest";
import { projectEnvironment, runCommand } from "../../scripts/run-command.ts";
import { BUILT } from "../support/server/built-worker.ts";

test("every step of `npm run tour` succeeds, including the question by phone [OR-400]", async () => {
  const environment = projectEnvironment({ [BUILT]: inject("builtWorker") });
  const { code, output } = await runCommand(process.execPath, ["scripts/tour.ts"], environment);
  expect(code, output).toBe(0);
  expect(output).toContain("All steps passed");
});
