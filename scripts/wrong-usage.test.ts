import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { expect, test } from "vitest";
import { projectRoot } from "./run-command.ts";
import { wrongUsage } from "./wrong-usage.ts";

test("a wrong command line is answered with one sentence and the command that prints the help [ALL-50]", () => {
  expect(wrongUsage("npm run keys", new Error("create needs --name, which labels the key"))).toBe(
    "npm run keys: create needs --name, which labels the key\nSee npm run keys -- --help\n",
  );
  expect(wrongUsage("npx twinedge token", new Error("--ttl takes seconds"))).toBe(
    "npx twinedge token: --ttl takes seconds\nSee npx twinedge token --help\n",
  );
});

test.each([
  [["--foo"], "npm run tab: Unknown option '--foo'"],
  [["-x"], "npm run tab: Unknown option '-x'"],
  [["--url"], "npm run tab: Option '--url <value>' argument missing"],
  [["--url", "--help"], "npm run tab: Option '--url' argument is ambiguous"],
])("the first of Node's sentences about %j is shown [ALL-50]", (args, sentence) => {
  const options = { url: { type: "string" }, help: { type: "boolean" } } as const;
  const said = (): string => {
    try {
      parseArgs({ args, options, allowPositionals: true });
      return "";
    } catch (error) {
      return wrongUsage("npm run tab", error as Error);
    }
  };
  expect(said()).toBe(`${sentence}\nSee npm run tab -- --help\n`);
});

test("no command prints its whole help after an error [ALL-50]", () => {
  const sources = globSync(["scripts/**/*.ts", "bench/**/*.ts"], { cwd: projectRoot, exclude: ["**/*.test.ts"] });
  const printing = sources.filter((path) =>
    /message\}\\n\\n\$\{usage/.test(readFileSync(join(projectRoot, path), "utf8")),
  );
  expect(printing).toEqual([]);
});
