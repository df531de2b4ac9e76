/** How the project calls wrangler: no part of it stores the address of a request, which may contain a PIN. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { wranglerEnvironment, wranglerProgram } from "./wrangler.ts";

test("request traces are switched off, with a switch that this wrangler version has", () => {
  expect(wranglerEnvironment()["X_LOCAL_OBSERVABILITY"]).toBe("false");
  expect(readFileSync(wranglerProgram, "utf8")).toContain('variableName: "X_LOCAL_OBSERVABILITY"');
});
