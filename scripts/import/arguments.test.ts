/** The command line of `npm run import`. */
import { describe, expect, test } from "vitest";
import { importCommand } from "./arguments.ts";

const parse = (line: string, environment: Record<string, string> = {}) =>
  importCommand.parse(line === "" ? [] : line.split(" "), environment);
const task = (line: string) => {
  const parsed = parse(line);
  if (parsed === "help" || parsed instanceof Error) throw new Error(String(parsed));
  return parsed.task;
};

test("a file, imported under its own name by default", () => {
  expect(task("domains.ndjson")).toEqual({
    kind: "import",
    file: "domains.ndjson",
    importId: expect.stringMatching(/^domains\.ndjson-[0-9a-f]{12}$/),
    isNamed: false,
    targets: new Map(),
    everyRow: {},
    dryRun: false,
    reportFile: undefined,
  });
  expect(task("domains.ndjson")).toEqual(task("./domains.ndjson".slice(2)));
  expect(task("x --id mine --dry-run --report out")).toMatchObject({
    importId: "mine",
    isNamed: true,
    dryRun: true,
    reportFile: "out",
  });
});

test("what columns fill, and what all rows have", () => {
  expect(task("x --map a=b=name --map c=ownName --set type=Project --set class=did:x:y?a=b")).toMatchObject({
    targets: new Map([
      ["a=b", "name"],
      ["c", "ownName"],
    ]),
    everyRow: { type: "Project", class: "did:x:y?a=b" },
  });
});

test("two places are two imports, whatever their names are made of", () => {
  const ids = ["a/x y.ndjson", "b/x y.ndjson", `${"long".repeat(50)}.ndjson`].map((file) => {
    const parsed = importCommand.parse([file], {});
    return typeof parsed === "object" && "task" in parsed && parsed.task.kind === "import" ? parsed.task.importId : "";
  });
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[\w.-]{1,64}$/);
});

test("an export with filters, and made-up domains", () => {
  const exported = task("--export out --filter type=Project --filter status=active");
  expect(exported).toMatchObject({ kind: "export", file: "out" });
  expect(exported.kind === "export" && exported.query.toString()).toBe("type=Project&status=active");
  expect(task("--make 100000 out")).toEqual({ kind: "make", file: "out", count: 100_000 });
});

test("the server: --url, else PORT, else 3000", () => {
  expect(parse("x")).toMatchObject({ url: "http://localhost:3000" });
  expect(parse("x", { PORT: "4000" })).toMatchObject({ url: "http://localhost:4000" });
  expect(parse("x --url https://edge.example/base/")).toMatchObject({ url: "https://edge.example/base" });
});

test.each(["--help", "-h", "x --help"])("%s asks for help", (line) => {
  expect(parse(line)).toBe("help");
});

describe("wrong usage is one sentence", () => {
  test.each<[string, RegExp]>([
    ["", /name a file/],
    ["a b", /one file/],
    ["--export out in", /--filter only/],
    ["--export out --dry-run", /--filter only/],
    ["x --filter a=b", /goes with --export/],
    ["--export out --filter a", /NAME=VALUE/],
    ["--make 0 out", /number/],
    ["--make 1000001 out", /number/],
    ["--make 5", /name a file/],
    ["--make 5 out --dry-run", /--make/],
    [`x --id ${"a".repeat(65)}`, /--id/],
    ["x --id a/b", /--id/],
    ["x --map name", /NAME=VALUE/],
    ["x --map a=colour", /colour/],
    ["x --set name=x", /type or class/],
    ["x --map a=name --export out", /name one file|--filter only/],
    ["x --url ftp://h", /http/],
    ["x --nonsense", /nonsense/],
  ])("%s", (line, message) => {
    const parsed = parse(line);
    expect(parsed).toBeInstanceOf(Error);
    expect((parsed as Error).message).toMatch(message);
  });
});
