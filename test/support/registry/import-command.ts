/** Runs the import command against a small registry that answers as the reference describes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { syntheticLines } from "../../../bench/synthetic-domains.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";
import { createProgress } from "../../../scripts/import/progress.ts";
import { runImport } from "../../../scripts/import/run-import.ts";
import type { Task } from "../../../scripts/import/arguments.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
}

type Answer = (asked: Asked) => Response | Promise<Response>;

export async function run(task: Task, answer: Answer, more: { interrupt?: AbortController; url?: string } = {}) {
  const { interrupt = new AbortController(), url = "http://localhost:3000" } = more;
  const notes: string[] = [];
  const asked: Asked[] = [];
  const waits: number[] = [];
  const code = await runImport(
    { task, url },
    {
      environment: {},
      localVariables: () => new Map([["DEV_API_KEY", "local-key"]]),
      note: (line) => void notes.push(line),
      progress: createProgress({ terminal: { write: () => true }, now: () => 0 }),
      fetch: async (input, init) => {
        const headers = new Headers(init?.headers);
        const call = {
          method: init?.method ?? "GET",
          path: String(input).replace(url, ""),
          key: headers.get("Authorization"),
          body: typeof init?.body === "string" ? init.body : "",
        };
        asked.push(call);
        init?.signal?.throwIfAborted();
        return answer(call);
      },
      interrupted: interrupt.signal,
      wait: async (milliseconds) => void waits.push(milliseconds),
      make: syntheticLines,
    },
  );
  return { code, notes: notes.join("\n"), asked, waits };
}

export const ndjson = (lines: readonly object[]) =>
  new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
export const problem = (status: number, detail: string, headers = {}) => Response.json({ detail }, { status, headers });

/** A registry that accepts every line except those that say "bad", and remembers the accepted ones. */
export function standIn(done = new Set<number>()): Answer {
  return ({ method, path, body }) => {
    if (method === "GET") {
      const lines = [...done].toSorted((one, other) => one - other);
      return done.size === 0
        ? problem(404, "none")
        : Response.json({ done: lines.map((line) => ({ from: line, to: line })), nextAfter: null });
    }
    const first = Number(new URL(path, "http://x").searchParams.get("firstLine"));
    const reports = body
      .split("\n")
      .slice(0, -1)
      .flatMap((text, at): object[] => {
        if (text === "") return [];
        if (text === "bad") return [{ line: first + at, status: "failed", code: "malformed_json", detail: "no JSON" }];
        done.add(first + at);
        return [{ line: first + at, status: "created", id: "did:x" }];
      });
    return ndjson([...reports, { summary: {} }]);
  };
}

export function fileOf(lines: readonly string[]): string {
  const file = join(temporaryDirectory(), "in.ndjson");
  writeFileSync(file, lines.join("\n"));
  return file;
}

export const importing = (file: string, more = {}): Task => ({
  kind: "import",
  file,
  importId: "mine",
  isNamed: true,
  targets: new Map(),
  everyRow: {},
  dryRun: false,
  reportFile: undefined,
  ...more,
});
