/** A process's resource use from Linux's /proc; NaN on other systems. */
import { readFileSync } from "node:fs";

/** The clock of /proc: 100 ticks per second on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const KIB = 1024;

/** CPU time used so far by all threads. */
export function cpuSecondsOf(pid: number): number {
  // The name, which may contain anything, ends with the last bracket; the 12th and 13th field follow.
  const fields = read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** CPU time of a process with all its children, those that have ended included. */
export function cpuSecondsOfFamily(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  // After its own two numbers, those of the children that it has waited for.
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS_PER_SECOND;
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return children.map(cpuSecondsOf).reduce((sum, seconds) => sum + (Number.isNaN(seconds) ? 0 : seconds), own);
}

/** Current resident memory. */
export function residentBytesOf(pid: number): number {
  const [, size] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(size) * KIB;
}

/** The process's limit of open files and sockets. */
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
