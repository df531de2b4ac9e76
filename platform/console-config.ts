/** Whether this deployment serves the console: for what links to it, and for the pages, which answer it. */
import * as z from "zod";
import { flagVariable, oncePerIsolate, parseConfig, textVariable, type ConfigResult } from "./config.ts";

export const DEFAULT_ENVIRONMENT = "production";

/** `development` opens operator endpoints; unset is production, so that forgetting it is safe. */
export const environmentVariable = textVariable().transform((text) => text ?? DEFAULT_ENVIRONMENT);

/** A separate slice: no surface stops because the console's variable is wrong. */
const schema = z
  .object({ ENVIRONMENT: environmentVariable, CONSOLE_ENABLED: flagVariable(undefined) })
  .transform(({ ENVIRONMENT: environment, CONSOLE_ENABLED }) => ({
    environment,
    isOn: CONSOLE_ENABLED ?? environment === "development",
  }));

export type ConsoleConfig = z.output<typeof schema>;

export const readConsoleConfig: (env: Env) => ConfigResult<ConsoleConfig> = oncePerIsolate((env: Env) =>
  parseConfig(schema, env),
);

export const CONSOLE_PATH = "/console";

/** An author's oracle has no assets: the console is this project's own. */
export function hasConsole(env: Env): boolean {
  const { ASSETS: assets }: Partial<Env> = env;
  const config = readConsoleConfig(env);
  return assets !== undefined && config.ok && config.value.isOn;
}
