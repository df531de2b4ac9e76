/** The command line of `npm run import`, parsed once into one task. */
import { createHash } from "node:crypto";
import { basename, resolve } from "node:path";
import { members, requiredMembers, type CsvMapping, type Target } from "../../console/src/files/csv-mapping.ts";
import { isImportId } from "../../console/src/files/import-id.ts";
import { defineCommand, pairOf } from "../command.ts";
import { serverAddress } from "../server-address.ts";

export type Task =
  | {
      readonly kind: "import";
      readonly file: string;
      readonly importId: string;
      /** Whether the command line names the import. */
      readonly isNamed: boolean;
      /** Targets of a table's columns, where they differ from the guess by name. */
      readonly targets: ReadonlyMap<string, Target>;
      /** Members of all rows of a table. */
      readonly everyRow: CsvMapping["everyRow"];
      readonly dryRun: boolean;
      /** The file for every line's report, if any. */
      readonly reportFile: string | undefined;
    }
  | {
      readonly kind: "export";
      readonly file: string;
      /** Filters as in `GET /v1/domains`. */
      readonly query: URLSearchParams;
    }
  | { readonly kind: "make"; readonly file: string; readonly count: number };

export interface ImportOptions {
  readonly task: Task;
  /** Without a trailing slash. */
  readonly url: string;
}

/** Maximum domains of `--make`: twice the number that a registry is built for. */
const MOST_MADE = 1_000_000;

const usage = `Usage: npm run import -- FILE [options]
       npm run import -- --export FILE [--filter NAME=VALUE ...]
       npm run import -- --make N FILE

  FILE                  NDJSON, a JSON array, or CSV; domains as POST /v1/domains accepts them, and their owner
    --map COLUMN=MEMBER the member that a CSV column fills: ${members.join(", ")}, its own name in the metadata (ownName), or nothing; may be repeated
    --set MEMBER=VALUE  the type or class of rows that have none; may be repeated
    --id NAME           the import's name; use it again to continue; default: from the file's path
    --dry-run           check every line, store nothing
    --report OUT        write the report of every line to OUT
  --export FILE         write all domains to FILE; the same command continues an incomplete file
    --filter NAME=VALUE only domains that match this list filter; may be repeated
  --make N FILE         write N made-up domains to FILE, for tests

Always:
  --url URL             the server; default http://localhost:3000, or the port in PORT
  --help                this text

The key is REGISTRY_API_KEY; else, when the server is this machine's own, DEV_API_KEY of the environment or of .dev.vars.
An import needs the scope registry:admin, an export domains:read. Ctrl-C stops; the same command continues. Correct
failed lines in place and send the file again: lines that are already domains do not change.

Exit codes: 0 done, 1 lines failed or the server refused, 2 wrong usage, 3 server unreachable, 4 key missing or wrong,
130 interrupted.
`;

export const importCommand = defineCommand({
  name: "npm run import",
  usage,
  options: {
    id: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    report: { type: "string" },
    map: { type: "string", multiple: true },
    set: { type: "string", multiple: true },
    export: { type: "string" },
    filter: { type: "string", multiple: true },
    make: { type: "string" },
    url: { type: "string" },
  },
  takesWords: true,
  read: ({ values, words, environment }): ImportOptions => ({
    task: taskOf(values, words),
    url: serverAddress(values.url, environment),
  }),
});

interface Values {
  readonly id?: string;
  readonly "dry-run": boolean;
  readonly report?: string;
  readonly map?: readonly string[];
  readonly set?: readonly string[];
  readonly export?: string;
  readonly filter?: readonly string[];
  readonly make?: string;
}

function taskOf(values: Values, [file, ...more]: readonly string[]): Task {
  if (more.length > 0) throw new Error("name one file");
  const importing =
    values.id !== undefined ||
    values["dry-run"] ||
    [values.report, values.map, values.set].some((value) => value !== undefined);
  if (values.export !== undefined) {
    if (file !== undefined || importing || values.make !== undefined)
      throw new Error("--export goes with --filter only");
    if (values.export === "") throw new Error("--export takes a file");
    const pairs = (values.filter ?? []).map((text) => pairOf("--filter", text));
    return { kind: "export", file: values.export, query: new URLSearchParams(pairs) };
  }
  if (values.filter !== undefined) throw new Error("--filter goes with --export");
  if (file === undefined || file === "") throw new Error("name a file");
  if (values.make !== undefined) {
    if (importing) throw new Error("--make takes a number and a file only");
    const count = /^\d{1,7}$/.test(values.make) ? Number(values.make) : 0;
    if (count < 1 || count > MOST_MADE) throw new Error(`--make takes a number from 1 to ${MOST_MADE}`);
    return { kind: "make", file, count };
  }
  const importId = values.id ?? importIdOf(file);
  if (!isImportId(importId)) {
    throw new Error("--id takes 1 to 64 letters, digits, dots, dashes and underscores");
  }
  return {
    kind: "import",
    file,
    importId,
    isNamed: values.id !== undefined,
    targets: new Map((values.map ?? []).map(targetOf)),
    everyRow: Object.fromEntries((values.set ?? []).map(memberOf)),
    dryRun: values["dry-run"],
    reportFile: values.report,
  };
}

function targetOf(text: string): [string, Target] {
  // A column's name may contain an equals sign; its target does not.
  const end = text.lastIndexOf("=");
  const [column, name] = end < 1 ? pairOf("--map", text) : [text.slice(0, end), text.slice(end + 1)];
  const target = ([...members, "ownName", "nothing"] as const).find((each) => each === name);
  if (target === undefined) throw new Error(`--map takes a member of a domain, ownName or nothing, not "${name}"`);
  return [column, target];
}

function memberOf(text: string): [string, string] {
  const [name, value] = pairOf("--set", text);
  if (!requiredMembers.some((member) => member === name)) throw new Error(`--set takes type or class, not "${name}"`);
  return [name, value];
}

/** From the path, not the content: a file with corrected lines belongs to its original import. */
function importIdOf(file: string): string {
  const path = resolve(file);
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 12);
  const name = basename(path)
    .replaceAll(/[^\w.-]/g, "-")
    .slice(0, 40);
  return `${name}-${digest}`;
}

export type Sending = Extract<Task, { kind: "import" }>;
