/** The tour goes through a whole conversation with every plugin. */
import { expect, test } from "vitest";
import { runTour } from "../../scripts/tour/run-tour.ts";

test("every step of `npm run tour` is as it should be, the question by phone among them [OR-400]", async () => {
  const lines: string[] = [];
  expect(await runTour((line) => void lines.push(line)), lines.join("\n")).toBe(true);
});
