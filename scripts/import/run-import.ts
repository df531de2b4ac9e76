/**
 * One run of `npm run import`: finds the key, does the task, ends with an exit code. The process is a parameter, so that the tests
 * can run it too.
 */
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { FileProblem } from "../../console/src/files/file-problem.ts";
import { fileTexts } from "../../console/src/texts/registry-files.ts";
import { isThisMachine, unreachable } from "../server-address.ts";
import type { ImportOptions, Task } from "./arguments.ts";
import { exportFile } from "./export-file.ts";
import type { Progress } from "./progress.ts";
import { MappingProblem } from "./read-file.ts";
import { createRegistryClient, RegistryRefusal } from "./registry-client.ts";
import { sendFile, Stopped } from "./send-file.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3, unauthorised: 4, interrupted: 130 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The program's dependencies on its process. */
export interface ImportProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables of the local server. */
  readonly localVariables: () => ReadonlyMap<string, string>;
  /** Standard error, line by line. */
  readonly note: (line: string) => void;
  readonly progress: Progress;
  readonly fetch: typeof fetch;
  readonly interrupted: AbortSignal;
  /** Rejects when `interrupted` fires. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Lines of made-up domains. */
  readonly make: (count: number) => Iterable<string>;
}

export async function runImport({ task, url }: ImportOptions, process: ImportProcess): Promise<ExitCode> {
  const { note, fetch, interrupted, wait } = process;
  try {
    if (task.kind === "make") {
      await pipeline(Readable.from(process.make(task.count)), createWriteStream(task.file), { signal: interrupted });
      note(`${task.count} domains are in ${task.file}`);
      return exitCodes.done;
    }
    const key = apiKey(url, process);
    if (key === undefined) {
      note("npm run import: no API key; set REGISTRY_API_KEY");
      return exitCodes.unauthorised;
    }
    const client = createRegistryClient({ url, key, fetch, interrupted, wait, note });
    return await carryOut(task, url, client, process);
  } catch (error) {
    return explain(error, task, url, process);
  }
}

async function carryOut(
  task: Exclude<Task, { kind: "make" }>,
  url: string,
  client: Parameters<typeof sendFile>[1],
  { note, progress }: ImportProcess,
): Promise<ExitCode> {
  if (task.kind === "export") {
    const count = await exportFile(task, url, client, progress);
    note(`${progress.end(count, 0)}; the domains are in ${task.file}`);
    return exitCodes.done;
  }
  const { done, counts, ignored } = await sendFile(task, client, { note, progress });
  note(progress.end(done, counts.failed));
  for (const { name, meant, lines, firstLine } of ignored) {
    const guess = meant === undefined ? "" : `; did you mean ${meant}?`;
    note(
      `the registry does not know ${name} and ignored it in ${lines} ${lines === 1 ? "line" : "lines"}, first in line ${firstLine}${guess}`,
    );
  }
  const reported = Object.entries(counts).filter(([, count]) => count > 0);
  note(
    `Import ${task.importId}: ${reported.map(([status, count]) => `${count} ${status}`).join(", ") || "nothing to do"}`,
  );
  return counts.failed > 0 ? exitCodes.failed : exitCodes.done;
}

function explain(error: unknown, task: Task, url: string, { interrupted, note, progress }: ImportProcess): ExitCode {
  if (interrupted.aborted) {
    progress.clear();
    note(task.kind === "make" ? "Interrupted." : "Interrupted. The same command continues where this one stopped.");
    return exitCodes.interrupted;
  }
  if (error instanceof RegistryRefusal) {
    note(`npm run import: ${error.message} (${error.status})`);
    return error.status === 401 || error.status === 403 ? exitCodes.unauthorised : exitCodes.failed;
  }
  if (error instanceof Stopped) {
    note(`npm run import: ${error.message}`);
    return exitCodes.failed;
  }
  const reason = faultOfFile(error);
  if (reason !== undefined) {
    note(`npm run import: ${reason}`);
    return exitCodes.usage;
  }
  note(`npm run import: ${unreachable(url, error)}`);
  note("The same command continues where this one stopped.");
  return exitCodes.unreachable;
}

/** The development key is for this machine's own server; it is sent nowhere else. */
function apiKey(url: string, { environment, localVariables }: ImportProcess): string | undefined {
  const candidates = [
    environment["REGISTRY_API_KEY"],
    ...(isThisMachine(url) ? [environment["DEV_API_KEY"], localVariables().get("DEV_API_KEY")] : []),
  ];
  return candidates.map((text) => text?.trim() ?? "").find((text) => text !== "");
}

/** A sentence if the file is at fault: its content, its columns, or its path. */
function faultOfFile(error: unknown): string | undefined {
  if (error instanceof FileProblem) return fileTexts.faults[error.fault](error.place);
  if (error instanceof MappingProblem) return error.message;
  // The file system's own errors contain a path; the error of reading a folder contains only the call.
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  const place = "path" in error ? String(error.path) : "it";
  if (error.code === "ENOENT") return `there is no file or folder at ${place}`;
  if (error.code === "EISDIR") return `${place} is a folder; name a file`;
  if (error.code === "EACCES") return `permission denied: ${place}`;
  return "path" in error ? error.message : undefined;
}
