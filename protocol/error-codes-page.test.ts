/** docs/error-codes.md lists every code that a client can receive, and no other. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { pluginMeanings } from "../test/support/documents/error-code-meanings.ts";
import { errorCodesPage } from "../test/support/documents/error-codes-page.ts";
import { errorCodes } from "./errors.ts";

const projectRoot = resolve(import.meta.dirname, "..");

test("docs/error-codes.md is generated from the codes in the source", async () => {
  await expect(errorCodesPage()).toMatchFileSnapshot("../docs/error-codes.md");
});

test("every code with which the oracle or a bundled plugin refuses a request is in a list [OR-191]", () => {
  const sources = globSync("{workers/oracle,oracle,durable-objects,platform}/**/*.ts", {
    cwd: projectRoot,
    exclude: ["**/*.test.ts", "workers/oracle/testing/**"],
  });
  // `fail("conflict", "…", { reason: "approval_over" })`: the reason is the member `code` of the body.
  const refusal = /\b(?:fail|newFailure|refuse)\(\s*"[a-z_]+",[^;]{0,400}?\breason: "([a-z_]+)"/gs;
  const sent = sources.flatMap((path) =>
    [...withoutComments(path).matchAll(refusal)].map(([, reason = ""]) => ({ path, reason })),
  );
  expect(sent.map(({ reason }) => reason)).toEqual(expect.arrayContaining(["queue_full", "approval_over"]));
  const listed: ReadonlySet<string> = new Set([...errorCodes, ...Object.keys(pluginMeanings)]);
  expect(sent.filter(({ reason }) => !listed.has(reason))).toEqual([]);
});

function withoutComments(path: string): string {
  return readFileSync(join(projectRoot, path), "utf8").replaceAll(/\/\*.*?\*\//gs, "");
}
