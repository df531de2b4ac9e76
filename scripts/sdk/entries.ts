/** The SDK's manifest, and the sources of the entries that it exports. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../run-command.ts";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export function sdkManifest(): Manifest {
  return JSON.parse(readFileSync(join(projectRoot, "sdk/package.json"), "utf8")) as Manifest;
}

/** The entries' import names (`@twinedge/sdk/core`) and sources, in the order of `exports`. */
export function sdkEntries(): readonly { readonly name: string; readonly source: string }[] {
  const { name, exports } = sdkManifest();
  return Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === "string") return [];
    const source = entry.default.replace("./dist/", "sdk/src/").replace(/\.js$/, ".ts");
    return [{ name: name + path.slice(1), source }];
  });
}
