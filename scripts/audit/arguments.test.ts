import { expect, test } from "vitest";
import { auditCommand } from "./arguments.ts";

test("a line of npm run audit names one command [ALL-56]", () => {
  const parse = (...words: readonly string[]) => auditCommand.parse(words, {});
  expect(parse("verify", "--export", "old.ndjson")).toMatchObject({ kind: "verify", earlier: "old.ndjson" });
  expect(parse("export")).toMatchObject({ kind: "export", url: "http://localhost:3000" });
  expect(parse()).toEqual(new Error("name a command: export or verify"));
  expect(parse("export", "--export", "old.ndjson")).toEqual(new Error("only verify takes --export"));
  expect(parse("verify", "more")).toEqual(new Error("verify takes no further arguments"));
});
