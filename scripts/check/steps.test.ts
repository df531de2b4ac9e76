/** The tests that `npm run check` leaves to `npm test` exist. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { slowTests } from "./steps.ts";

test.each(slowTests)("the slow test file %s exists", (path) => {
  expect(existsSync(join(projectRoot, path))).toBe(true);
});
