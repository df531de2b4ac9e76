/** The command line of `npm run db`: its tasks, its databases, and refusals that repeat no password. */
import { expect, test } from "vitest";
import { dbCommand } from "./arguments.ts";

const URL_TEXT = "postgresql://me:secret@db.example:5432/twinedge";
const parse = (...words: readonly string[]) => dbCommand.parse(words, { TARGET: URL_TEXT, EMPTY: "" });
const refusal = (...words: readonly string[]): string => {
  const parsed = parse(...words);
  return parsed instanceof Error ? parsed.message : `accepted: ${JSON.stringify(parsed)}`;
};

test("a task has its databases, in their order", () => {
  expect(parse("migrate", "postgres")).toMatchObject({ kind: "migrate", place: { kind: "local-postgres" } });
  expect(parse("copy", "d1:production", "env:TARGET", "--catch-up")).toMatchObject({
    kind: "copy",
    from: { kind: "remote-d1", environment: "production" },
    to: { kind: "postgres", url: URL_TEXT },
    catchUp: true,
  });
  expect(parse("verify", "d1", URL_TEXT)).toMatchObject({ kind: "verify", to: { kind: "postgres", url: URL_TEXT } });
});

test.each([
  [[], "name a task: migrate, copy or verify"],
  [["move"], 'name a task: migrate, copy or verify, not "move"'],
  [["migrate"], "migrate takes one database"],
  [["copy", "d1"], "copy takes two databases: FROM TO"],
  [["verify", "d1", "d1"], "verify takes two different databases"],
  [["verify", "d1", "postgres", "--catch-up"], "only copy takes --catch-up"],
  [["migrate", "env:EMPTY"], "the environment variable EMPTY is not set"],
  [["migrate", "sqlite"], 'name a database as d1, d1:ENVIRONMENT, postgres, a URL or env:NAME, not "sqlite"'],
])("%j is refused", (words, reason) => {
  expect(refusal(...words)).toBe(reason);
});

test.each([
  "postgres://me@host/db",
  "postgres://me:secret@host",
  "postgres://me:secret@/db",
  "mysql://me:secret@host/db",
])("the URL %s is refused without its password [RG-292]", (url) => {
  const reason = refusal("migrate", url);
  expect(reason).not.toContain("accepted");
  expect(reason).not.toContain("secret");
});
