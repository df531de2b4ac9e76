/** The counting oracle's wrangler.toml, copied to a folder of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface CountingOracleConfig {
  readonly path: string;
  dispose(): void;
}

/** Wrangler builds beside its configuration, and leaves that behind when it is killed: not in the repository. */
export function countingOracleConfig(): CountingOracleConfig {
  const elsewhere = mkdtempSync(join(tmpdir(), "twinedge-counting-"));
  const folder = resolve(import.meta.dirname, "counting-oracle");
  const text = readFileSync(join(folder, "wrangler.toml"), "utf8");
  const path = join(elsewhere, "wrangler.toml");
  writeFileSync(path, text.replace('main = "oracle.ts"', `main = "${join(folder, "oracle.ts")}"`));
  return { path, dispose: () => rmSync(elsewhere, { recursive: true, force: true }) };
}
