/** Builds the measured Worker and its baselines like a deployment: bundled by wrangler, without a dev server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../scripts/run-command.ts";
import { buildAssets } from "../scripts/assets.ts";
import { runWrangler } from "../scripts/wrangler.ts";

export interface Bundles {
  /** The Worker as it is deployed, one file. */
  readonly oracle: string;
  readonly bare: string;
  /** An author's oracle with middleware. */
  readonly authored: string;
  /** Oracles with every plugin in the package, and without any. */
  readonly withPlugins: string;
  readonly withoutPlugins: string;
}

/** @throws with wrangler's output if a build fails. */
export async function buildBundles(folder: string): Promise<Bundles> {
  // `wrangler deploy` requires the assets to exist, though the bench requests none.
  const assets = await buildAssets();
  if (assets.code !== 0) throw new Error(`the assets could not be built:\n${assets.output}`);
  return {
    oracle: await bundle("wrangler.toml", join(folder, "oracle")),
    bare: await bundle("bench/bare/wrangler.toml", join(folder, "bare")),
    authored: await bundle("bench/bare/wrangler.authored.toml", join(folder, "authored")),
    withPlugins: await bundle("bench/bare/wrangler.with-plugins.toml", join(folder, "with-plugins")),
    withoutPlugins: await bundle("bench/bare/wrangler.without-plugins.toml", join(folder, "without-plugins")),
  };
}

async function bundle(config: string, folder: string): Promise<string> {
  const command = ["deploy", "--env=", "--config", join(projectRoot, config), "--dry-run", "--outdir", folder];
  const { code, output } = await runWrangler(command);
  if (code !== 0) throw new Error(`${config} could not be bundled:\n${output}`);
  // The file is named after its source.
  const [, source = ""] = /^main = "(?:.*\/)?(.+)\.ts"$/m.exec(readFileSync(join(projectRoot, config), "utf8")) ?? [];
  return join(folder, `${source}.js`);
}
