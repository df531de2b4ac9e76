/** Whether this deployment serves the console: for links to it, and for the pages themselves. */
import * as z from "zod";
import { flagVariable, oncePerIsolate, parseConfig, textVariable, type ConfigResult } from "./config.ts";

export const DEFAULT_ENVIRONMENT = "production";

/** `development` opens operator endpoints; unset means production, which is the safe default. */
export const environmentVariable = textVariable().transform((text) => text ?? DEFAULT_ENVIRONMENT);

/** A separate part: a wrong console variable stops no surface. */
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

/** An author's oracle has no assets: the console belongs to this project. */
export function hasConsole(env: Env): boolean {
  const { ASSETS: assets }: Partial<Env> = env;
  const config = readConsoleConfig(env);
  return assets !== undefined && config.ok && config.value.isOn;
}
