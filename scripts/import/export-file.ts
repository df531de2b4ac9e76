/**
 * Writes a registry's domains to a file. They are collected in `FILE.<digest of the request>.part`, which is renamed when it is
 * complete; an interrupted export resumes after its last complete line.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, openSync, closeSync, ftruncateSync, renameSync, writeSync } from "node:fs";
import { linesOf } from "../../shared/stream-lines.ts";
import type { Task } from "./arguments.ts";
import type { Progress } from "./progress.ts";
import { answeredLines, type RegistryClient } from "./registry-client.ts";

/** The current number of lines in the file. */
export async function exportFile(
  { file, query }: Extract<Task, { kind: "export" }>,
  url: string,
  client: RegistryClient,
  progress: Progress,
): Promise<number> {
  const part = partOf(file, `${url}?${query.toString()}`);
  const begun = existsSync(part) ? await completeLines(part) : { count: 0, bytes: 0, last: undefined };
  const asked = new URLSearchParams(query);
  if (begun.last !== undefined) asked.set("cursor", begun.last);
  const answer = await client({ method: "GET", path: `/v1/export?${asked.toString()}` });
  const output = openSync(part, "a");
  let { count } = begun;
  progress.show(count, undefined, 0);
  try {
    ftruncateSync(output, begun.bytes);
    for await (const line of answeredLines(answer)) {
      writeSync(output, `${line}\n`);
      count += 1;
      progress.show(count, undefined, 0);
    }
  } finally {
    closeSync(output);
  }
  renameSync(part, file);
  return count;
}

/** Another server's domains, or another filter's, are collected in another file. */
export function partOf(file: string, asked: string): string {
  return `${file}.${createHash("sha256").update(asked).digest("hex").slice(0, 8)}.part`;
}

interface Begun {
  readonly count: number;
  readonly bytes: number;
  /** The id of the last domain. */
  readonly last: string | undefined;
}

/** Ignores a line without its end, and a line that is not a domain. */
async function completeLines(part: string): Promise<Begun> {
  let begun: Begun = { count: 0, bytes: 0, last: undefined };
  for await (const { text, isWhole } of linesOf(createReadStream(part))) {
    const id = isWhole ? idOf(text) : undefined;
    if (id === undefined) break;
    begun = { count: begun.count + 1, bytes: begun.bytes + Buffer.byteLength(text) + 1, last: id };
  }
  return begun;
}

function idOf(line: string): string | undefined {
  try {
    const { id } = JSON.parse(line) as { id?: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
