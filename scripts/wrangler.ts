/** How the project calls wrangler: offline, without questions, and with its temporary files in the project's folder. */
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { projectEnvironment, projectRoot, runCommand, type CommandOutcome } from "./run-command.ts";

const packageFile = createRequire(import.meta.url).resolve("wrangler/package.json");

/** The program itself; `bin/wrangler.js` would only start it in another process, which signals can miss. */
export const wranglerProgram = join(dirname(packageFile), "wrangler-dist/cli.js");

/** Local state of the Worker by default: D1, Durable Objects, caches. */
export const defaultStateFolder = ".wrangler/state";

export function wranglerEnvironment(): NodeJS.ProcessEnv {
  const litter = join(projectRoot, ".wrangler");
  mkdirSync(litter, { recursive: true });
  return projectEnvironment({
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: "false",
    NO_COLOR: "1",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: join(litter, "logs"),
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
    WRANGLER_REGISTRY_PATH: join(litter, "registry"),
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_SEND_METRICS: "false",
    X_LOCAL_EXPLORER: "false",
    // It would store the address of each request, where gateways that call with GET put PINs and numbers.
    X_LOCAL_OBSERVABILITY: "false",
  });
}

export function runWrangler(args: readonly string[]): Promise<CommandOutcome> {
  return runCommand(process.execPath, ["--no-warnings", wranglerProgram, ...args], wranglerEnvironment());
}
