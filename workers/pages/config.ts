/**
 * The configuration that belongs to no single surface: the environment's name, the root's greeting, the hosts and the
 * console.
 */
import * as z from "zod";
import {
  jsonVariable,
  oncePerIsolate,
  parseConfig,
  textVariable,
  type ConfigProblem,
  type ConfigResult,
} from "../../platform/config.ts";
import { environmentVariable, readConsoleConfig } from "../../platform/console-config.ts";
import { proxyVariables } from "../../platform/http/client-address.ts";

const surfaceName = z.enum(["registry", "ussd", "oracle", "query-gateway"]);

const hostTable = z
  .record(z.string(), z.array(surfaceName), { error: "must map each host to a list of surfaces" })
  .refine((table) => new Set(Object.keys(table).map(lowerCase)).size === Object.keys(table).length, {
    error: "must name each host once",
  })
  .transform((table) => Object.fromEntries(Object.entries(table).map(([host, names]) => [lowerCase(host), names])));

const schema = z.object({
  ...proxyVariables,
  ENVIRONMENT: environmentVariable,
  ROOT_MESSAGE: textVariable(),
  /** Maps a host, in URL form and lower case, to its surfaces; if unset, every host serves every surface. */
  SURFACE_HOSTS: jsonVariable(hostTable.nullable(), null),
});

function lowerCase(host: string): string {
  return host.toLowerCase();
}

export type PagesConfig = z.output<typeof schema>;

export const readPagesConfig: (env: Env) => ConfigResult<PagesConfig> = oncePerIsolate((env: Env) =>
  parseConfig(schema, env, { SURFACE_HOSTS: '{"chat.example.org":["oracle"],"api.example.org":["registry"]}' }),
);

/** The problems of both parts. */
export function sharedProblems(env: Env): readonly ConfigProblem[] {
  return [readPagesConfig(env), readConsoleConfig(env)].flatMap((read) => (read.ok ? [] : read.error));
}
