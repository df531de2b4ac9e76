/** The package's command never names a command that only this repository has. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chatCommand } from "../chat/command-line.ts";
import { unreachable } from "../server-address.ts";
import { tokenCommand } from "../token/arguments.ts";
import { runToken } from "../token/run-token.ts";
import { inWordsOfPackage, WRANGLER_PORT } from "./wording.ts";

test("an author's oracle has an OpenAPI document but no page for it [OR-209]", async () => {
  const lines: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "twinedge-token-"));
  const options = tokenCommand.parse(["--audience", "did:ixo:ixo1oracle"], { PORT: WRANGLER_PORT });
  if (options === "help" || options instanceof Error) throw new Error("no options");
  const exit = await runToken(options, {
    environment: { TWINEDGE_HOME: folder },
    projectDirectory: folder,
    print: (line) => lines.push(inWordsOfPackage(line)),
    note: (line) => lines.push(inWordsOfPackage(line)),
    fetch,
    now: () => 1_800_000_000_000,
    randomSeed: () => new Uint8Array(32).fill(7),
  });
  rmSync(folder, { recursive: true, force: true });
  expect([exit, lines.filter((line) => line.includes("/docs"))]).toEqual([0, []]);
  expect(lines.at(-1)).toBe(
    "# In a browser: http://localhost:8787/openapi.json, which any reader of OpenAPI documents shows with its routes.",
  );
});

test.each([
  ["chat", chatCommand.usage],
  ["token", tokenCommand.usage],
  ["a server that does not answer", unreachable("http://localhost:8787", new Error("refused"))],
])("%s [OR-209]", (_, text) => {
  const words = inWordsOfPackage(text);
  expect(words).toContain("npx ");
  expect(words).not.toMatch(/npm (?:run|start)|localhost:3000|[^/]\.twinedge/);
});
