/** The wrangler.toml of a test oracle (test/support/oracle/<name>), copied to a temporary folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface OracleConfig {
  readonly path: string;
  dispose(): void;
}

/** Wrangler builds next to its configuration, and leaves files there when it is killed, so it must not be in the repository. */
export function oracleConfig(name: "asking-oracle" | "counting-oracle"): OracleConfig {
  const elsewhere = mkdtempSync(join(tmpdir(), "twinedge-oracle-"));
  const folder = resolve(import.meta.dirname, name);
  const text = readFileSync(join(folder, "wrangler.toml"), "utf8");
  const path = join(elsewhere, "wrangler.toml");
  const inFolder = (file: string): string => resolve(folder, file);
  writeFileSync(
    path,
    text.replace(/^(main|directory) = "(.*)"$/gm, (_, key: string, file: string) => `${key} = "${inFolder(file)}"`),
  );
  return { path, dispose: () => rmSync(elsewhere, { recursive: true, force: true }) };
}
