/** The commands and samples of the documents match the project: one recipe for an author's oracle, sections that can be pasted. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { surfaces } from "../../workers/surfaces.ts";

const project = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(project, path), "utf8");
const documents = globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "sdk/*.md"], {
  cwd: project,
  exclude: ["**/node_modules/**", "CHANGELOG.md"],
});
const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Readonly<Record<string, string>> };

/** Packages that authors install, with this project's versions to the precision of a sample. */
const tools = ["node", "wrangler", "typescript", "vitest", "@cloudflare/vitest-pool-workers"];

test("an author's oracle is installed with this project's tools and versions [ALL-51]", () => {
  const lines = documents.flatMap((path) =>
    [...read(path).matchAll(/npm install --save-dev ([^\n`]+)/g)].map(([, words = ""]) => ({ path, words })),
  );
  expect(lines.length).toBeGreaterThan(4);
  const wrong = lines.flatMap(({ path, words }) => {
    const given = words.replace(/\s+#.*$/, "").split(" ");
    const unlike = given.filter((word) => {
      const [, name = "", version = ""] = /^(@?[^@]+)@(.+)$/.exec(word) ?? [];
      const own = devDependencies[name] ?? "";
      return version === "" || !tools.includes(name) || !(own === version || own.startsWith(`${version}.`));
    });
    return unlike.map((word) => `${path}: ${word}`);
  });
  expect(wrong).toEqual([]);
});

test("wrangler of a folder of one's own comes with the Node that it needs [ALL-51]", () => {
  const lines = documents.flatMap((path) => [...read(path).matchAll(/npm install --save-dev [^\n`]*wrangler[^\n`]*/g)]);
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter(([line]) => !line.includes("node@"))).toEqual([]);
});

test("a section of wrangler.toml in docs/deploy.md has every line that the file has [ALL-52]", () => {
  const [, own = ""] = /^\[env\.production\]\n((?:.+\n)+)/m.exec(read("wrangler.toml")) ?? [];
  const keys = (section: string): readonly string[] =>
    [...section.matchAll(/^\s*(\w+) = /gm)].map(([, key = ""]) => key);
  expect(keys(own)).toEqual(["name", "vars", "ai"]);
  const samples = [...read("docs/deploy.md").matchAll(/\[env\.production\]\n((?:\s*\w+ = .+\n)+)/g)];
  expect(samples).toHaveLength(3);
  for (const [, sample = ""] of samples) expect(keys(sample)).toEqual(expect.arrayContaining([...keys(own)]));
});

test("the tsconfig.json of docs/plugins.md is that of the example [OR-196]", () => {
  const json = (path: string): string | undefined =>
    /^```json\n(\{\n\s*"compilerOptions"[^]*?)^```$/m.exec(read(path))?.[1];
  expect(json("docs/plugins.md")).toBe(json("examples/weather-oracle/README.md"));
  expect(json("docs/plugins.md")).toContain("oracle.ts");
});

test("docs/reference/platform.md has every path of every surface [ALL-1]", () => {
  const [, table = ""] = /\n(\| surface[^]*?)\n\n/.exec(read("docs/reference/platform.md")) ?? [];
  const rows = new Map(table.split("\n").map((line) => [/`([\w-]+)`/.exec(line)?.[1] ?? "", line]));
  const missing = surfaces.flatMap(({ name, paths }) =>
    paths.filter((path) => !rows.get(name)?.includes(`\`${path}\``)),
  );
  expect(missing).toEqual([]);
});

test("every command in README.md has a help text [ALL-50]", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Readonly<Record<string, string>> };
  const names = [...read("README.md").matchAll(/^\| `npm run ([\w:]+)/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(12);
  const mute = names.filter((name) => {
    const [, path = ""] = /(scripts\/[\w-]+\.ts)/.exec(scripts[name] ?? "") ?? [];
    const sources = [path, ...globSync(`${path.replace(/\.ts$/, "")}/*.ts`, { cwd: project })];
    return !sources.some((source) => read(source).includes(`Usage: npm run ${name}`));
  });
  expect(mute).toEqual([]);
});
