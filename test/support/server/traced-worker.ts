/**
 * The deployed Worker, built from a copy of its source in which every function first records its file: shows which files of the
 * project one request runs through. Everything else is as deployed: workerd, D1, Durable Objects.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { walk } from "estree-walker";
import MagicString from "magic-string";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { parseSync } from "oxc-parser";
import * as z from "zod";
import { projectRoot } from "../../../scripts/run-command.ts";
import { runWrangler } from "../../../scripts/wrangler.ts";

const SOURCE = ["workers", "durable-objects", "oracle", "socketio", "platform", "shared", "protocol", "proto"];
const COPIED = [...SOURCE, "migrations", "wrangler.toml", "package.json"];
const TRACE_PATH = "/__files";

export interface TracedWorker {
  readonly url: string;
  readonly adminToken: string;
  /** The files whose functions ran during `act`, sorted, and the result of `act`. */
  readonly trace: <Value>(
    act: () => Promise<Value>,
  ) => Promise<{ readonly files: readonly string[]; readonly value: Value }>;
  readonly dispose: () => Promise<void>;
}

export async function startTracedWorker(): Promise<TracedWorker> {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-traced-"));
  copySource(folder);
  const bundle = join(folder, "bundle");
  const config = join(folder, "wrangler.toml");
  const built = await runWrangler(["deploy", "--env=", "--config", config, "--dry-run", "--outdir", bundle]);
  if (built.code !== 0) throw new Error(`the traced Worker could not be bundled:\n${built.output}`);
  const adminToken = "a".repeat(64);
  const miniflare = runWorker(bundle, readFileSync(config, "utf8"), {
    ENVIRONMENT: "development",
    LLM_PROVIDER: "local",
    ORACLE_SIGNING_SEED: "07".repeat(32),
    PIN_ENCRYPTION_KEY: "ab".repeat(32),
    ADMIN_TOKEN: adminToken,
  });
  const url = (await miniflare.ready).origin;
  const database = await miniflare.getD1Database("DATABASE", "traced");
  const statements = (await readD1Migrations(join(folder, "migrations"))).flatMap((migration) => migration.queries);
  await database.batch(statements.map((statement) => database.prepare(statement)));

  /** The files recorded since the last call. */
  const takeFiles = async (): Promise<readonly string[]> => {
    const response = await fetch(`${url}${TRACE_PATH}`);
    return z.array(z.string()).parse(await response.json());
  };
  return {
    url,
    adminToken,
    async trace(act) {
      await takeFiles();
      const value = await act();
      return { files: (await takeFiles()).toSorted(), value };
    },
    async dispose() {
      await miniflare.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function copySource(folder: string): void {
  for (const name of COPIED) cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "dist/assets"), { recursive: true });
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
  for (const top of SOURCE) {
    for (const name of readdirSync(join(folder, top), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || name.endsWith(".d.ts") || name.endsWith(".test.ts")) continue;
      const path = join(folder, top, name);
      writeFileSync(path, recording(join(top, name), readFileSync(path, "utf8")));
    }
  }
  writeFileSync(
    join(folder, "workers/traced.ts"),
    `import worker from "./index.ts";
export * from "./index.ts";
const files = (globalThis.__files ??= new Set());
export default {
  ...worker,
  fetch(request, env, context) {
    if (new URL(request.url).pathname !== "${TRACE_PATH}") return worker.fetch(request, env, context);
    const ran = [...files];
    files.clear();
    return Response.json(ran);
  },
};`,
  );
  const config = readFileSync(join(folder, "wrangler.toml"), "utf8");
  writeFileSync(join(folder, "wrangler.toml"), config.replace("workers/index.ts", "workers/traced.ts"));
}

/** The source with functions that record `file` when they run. */
function recording(file: string, source: string): string {
  const text = new MagicString(source);
  const record = `globalThis.__files.add(${JSON.stringify(file)})`;
  const { program } = parseSync(file, source);
  walk(program as never, {
    enter(node) {
      const { type, body } = node as unknown as {
        readonly type: string;
        readonly body?: Span & { readonly type: string };
      };
      if (body === undefined || body === null) return;
      if (!["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type)) return;
      if (body.type === "BlockStatement") text.appendLeft(body.start + 1, `${record};`);
      else text.appendLeft(body.start, `(${record}, `).appendRight(body.end, ")");
    },
  });
  return `globalThis.__files ??= new Set();${text.toString()}`;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function runWorker(bundle: string, config: string, bindings: Readonly<Record<string, string>>): Miniflare {
  const [local = ""] = config.split(/^\[env\./m);
  const classes = local.matchAll(/^\[\[durable_objects\.bindings\]\]\nname = "(.+)"\nclass_name = "(.+)"$/gm);
  const durableObjects = Object.fromEntries(
    [...classes].map(([, name, className = ""]) => [name, { className, useSQLite: true }]),
  );
  const main = join(bundle, "traced.js");
  const data = readdirSync(bundle).filter((name) => name.endsWith(".binpb"));
  return new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      logRequests: false,
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: "traced",
          modules: [
            { type: "ESModule" as const, path: main },
            ...data.map((name) => ({ type: "Data" as const, path: join(bundle, name) })),
          ],
          modulesRoot: dirname(main),
          compatibilityDate: /^compatibility_date = "(.+)"$/m.exec(config)?.[1] ?? "",
          compatibilityFlags: JSON.parse(/^compatibility_flags = (\[.*\])$/m.exec(config)?.[1] ?? "[]") as string[],
          durableObjects,
          d1Databases: { DATABASE: "traced" },
          bindings,
        },
      ],
    }),
  );
}
