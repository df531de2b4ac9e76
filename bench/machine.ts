/** The machine of the measurements, without which the numbers mean nothing to others. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, loadavg, platform, totalmem } from "node:os";

export interface Machine {
  /** ISO 8601. */
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  /** GiB. */
  readonly memory: number;
  readonly system: string;
  /** Runnable processes in the last minute, before the benchmark began. */
  readonly loadBefore: number;
  readonly versions: Readonly<Record<"node" | "workerd" | "wrangler", string>>;
}

const GIB = 2 ** 30;

export function describeMachine(now: Date): Machine {
  return {
    date: now.toISOString(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memory: Math.round(totalmem() / GIB),
    system: `${platform()} ${arch()}`,
    loadBefore: loadavg()[0] ?? NaN,
    versions: { node: process.versions.node, workerd: versionOf("workerd"), wrangler: versionOf("wrangler") },
  };
}

export function machineNote({ date, processor, cores, memory, system, loadBefore, versions }: Machine): string {
  const tools = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${date}, ${processor}, ${cores} cores, ${memory} GiB, ${system}, load before ${loadBefore.toFixed(2)}`,
    tools.join(", "),
  ].join("\n");
}

function versionOf(name: string): string {
  const path = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
