/** How the project calls wrangler: nothing of it keeps the address of a request, which may hold a PIN. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { wranglerEnvironment, wranglerProgram } from "./wrangler.ts";

test("traces of requests are switched off, by a switch that this wrangler has", () => {
  expect(wranglerEnvironment()["X_LOCAL_OBSERVABILITY"]).toBe("false");
  expect(readFileSync(wranglerProgram, "utf8")).toContain('variableName: "X_LOCAL_OBSERVABILITY"');
});
