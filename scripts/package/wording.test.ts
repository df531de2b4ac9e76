/** The command of the package never names a command that only this repository has. */
import { expect, test } from "vitest";
import { usage as chatUsage } from "../chat/command-line.ts";
import { unreachable } from "../server-address.ts";
import { usage as tokenUsage } from "../token/arguments.ts";
import { inWordsOfPackage } from "./wording.ts";

test.each([
  ["chat", chatUsage],
  ["token", tokenUsage],
  ["a server that does not answer", unreachable("http://localhost:8787", new Error("refused"))],
])("%s [OR-209]", (_, text) => {
  const words = inWordsOfPackage(text);
  expect(words).toContain("npx ");
  expect(words).not.toMatch(/npm (?:run|start)|localhost:3000|[^/]\.twinedge/);
});
