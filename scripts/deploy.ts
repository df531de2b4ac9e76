/**
 * `npm run deploy`: builds the assets, then runs `wrangler deploy`. With `--dry-run` nothing is uploaded: the real bundle is
 * written to dist/worker, and its size is printed and compared with the limit.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineCommand, runAs } from "./command.ts";
import { buildAssets } from "./assets.ts";
import { bundleSize, describeSize, isTooBig } from "./deploy/bundle-size.ts";
import { placeholderDatabase } from "./deploy/placeholder-database.ts";
import { missingSpendingLimit } from "./deploy/spending-limit.ts";
import { imageFault, placeImage } from "./gateway/image-file.ts";
import { projectRoot } from "./run-command.ts";
import { runWrangler, wranglerEnvironment, wranglerProgram } from "./wrangler.ts";

const environments = ["staging", "production"];
const usage = `Usage: npm run deploy -- [options]

  --env NAME   ${environments.join(" or ")}; needed for a real deployment
  --gateway-image FILE   a descriptor image for the query gateway, as the set "file" of GATEWAY_CONFIG
  --dry-run    build the bundle to dist/worker, print its size, upload nothing
  --help       this text

Before the first deployment: log in, create the database and put its id into wrangler.toml, apply the migrations, set the
secrets (docs/deploy.md, First deployment). Exit codes: 0 done, 1 failed, refused or too big, 2 wrong usage.
`;

const command = defineCommand({
  name: "npm run deploy",
  usage,
  options: {
    env: { type: "string" },
    "gateway-image": { type: "string" },
    "dry-run": { type: "boolean", default: false },
  },
  read({ values }) {
    const { env, "dry-run": isDryRun, "gateway-image": image } = values;
    if (env === undefined ? !isDryRun : !environments.includes(env))
      throw new Error(`--env must be ${environments.join(" or ")}`);
    return { environment: env, isDryRun, imageGiven: image };
  },
});
await runAs(command, deploy);

interface Deployment {
  /** Undefined for a build only. */
  readonly environment: string | undefined;
  readonly isDryRun: boolean;
  readonly imageGiven: string | undefined;
}

async function deploy({ environment, isDryRun, imageGiven }: Deployment): Promise<number> {
  const missing = (environment === undefined ? environments : [environment]).flatMap(
    (name) => placeholderDatabase(name) ?? [],
  );
  if (!isDryRun && missing.length > 0) {
    process.stderr.write(`npm run deploy: ${missing.join("\n")}\n`);
    return 1;
  }
  const image = imageGiven === undefined ? undefined : resolve(process.env["INIT_CWD"] ?? "", imageGiven);
  const wrongImage = image === undefined ? undefined : imageFault(image);
  if (wrongImage !== undefined) {
    process.stderr.write(`npm run deploy: ${wrongImage}\n`);
    return 1;
  }
  const { code, output } = await buildAssets();
  if (code !== 0) {
    process.stderr.write(`npm run deploy: the assets could not be built:\n${output}\n`);
    return 1;
  }
  const unlimited = environment === undefined ? undefined : missingSpendingLimit(environment);
  if (unlimited !== undefined) process.stderr.write(`Warning: ${unlimited}\n`);
  placeImage(image);
  // The empty name is wrangler's word for the top level of wrangler.toml.
  const command = ["deploy", `--env=${environment ?? ""}`];
  if (!isDryRun) return upload(command);
  const built = await buildBundle(command);
  for (const reason of missing) process.stdout.write(`Not ready to deploy: ${reason}\n`);
  return built;
}

async function buildBundle(command: readonly string[]): Promise<number> {
  const folder = join(projectRoot, "dist/worker");
  rmSync(folder, { recursive: true, force: true });
  const { code, output } = await runWrangler([...command, "--dry-run", "--outdir", folder]);
  if (code !== 0) {
    process.stderr.write(`npm run deploy: the bundle could not be built:\n${output}\n`);
    return 1;
  }
  const size = bundleSize(folder);
  process.stdout.write(`${describeSize(size)}\n`);
  if (!isTooBig(size)) return 0;
  process.stderr.write(
    "npm run deploy: the bundle is too big; `docs/dependencies.md` lists the size of each dependency\n",
  );
  return 1;
}

/** Wrangler may ask questions and open a browser here, so it gets the terminal. */
function upload(command: readonly string[]): number {
  const { status } = spawnSync(process.execPath, ["--no-warnings", wranglerProgram, ...command], {
    cwd: projectRoot,
    env: wranglerEnvironment(),
    stdio: "inherit",
  });
  return status ?? 1;
}
