/** What a process has used, as Linux tells it in /proc; NaN everywhere else. */
import { readFileSync } from "node:fs";

/** The clock of /proc: 100 ticks a second on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const KIB = 1024;

/** CPU time taken so far, of all its threads. */
export function cpuSecondsOf(pid: number): number {
  // The name, which may hold anything, ends with the last bracket; the 12th and 13th field follow.
  const fields = read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Memory that is resident now. */
export function residentBytesOf(pid: number): number {
  const [, size] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(size) * KIB;
}

/** How many files and sockets the process may have open. */
export function openFilesLimit(pid: number): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(read(`/proc/${pid}/limits`)) ?? [];
  return Number(soft);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
