/**
 * `npm run console-types`: generates the console's part of our OpenAPI document into console/src/api: the types of its HTTP client
 * and the schemas of its forms. It needs no running server. The files are not committed: `npm install` and `npm run check` write
 * them.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runPlain } from "./command.ts";
import { clientTypes } from "./console/client-types.ts";
import { consoleDocument } from "./console/document.ts";
import { forms } from "./console/forms.ts";
import { projectRoot } from "./run-command.ts";

const usage = `Usage: npm run console-types -- [options]

  --help   this text

Exit codes: 0 done, 2 wrong usage.
`;
const FORMS = "console/src/api/forms";

await runPlain("npm run console-types", usage, async () => {
  write(await generated());
  return 0;
});

/** Texts by path. */
async function generated(): Promise<ReadonlyMap<string, string>> {
  const document = await consoleDocument();
  return new Map([
    ["console/src/api/paths.d.ts", await clientTypes(document)],
    ...[...forms(document)].map(
      ([name, schema]) => [`${FORMS}/${name}.json`, `${JSON.stringify(schema, undefined, 2)}\n`] as const,
    ),
  ]);
}

/** Existing schemas that are no longer generated. */
function leftOver(files: ReadonlyMap<string, string>): readonly string[] {
  mkdirSync(join(projectRoot, FORMS), { recursive: true });
  const present = readdirSync(join(projectRoot, FORMS)).filter((name) => name.endsWith(".json"));
  return present.map((name) => `${FORMS}/${name}`).filter((path) => !files.has(path));
}

/** An unchanged file keeps its time, by which other tools know that it has not changed. */
function write(files: ReadonlyMap<string, string>): void {
  for (const path of leftOver(files)) rmSync(join(projectRoot, path));
  for (const [path, text] of files) if (textOf(path) !== text) writeFileSync(join(projectRoot, path), text);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(join(projectRoot, path), "utf8");
  } catch {
    return undefined;
  }
}
