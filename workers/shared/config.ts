/** The configuration that belongs to no single surface: the environment's name, the root's greeting and the hosts. */
import * as z from "zod";
import { jsonVariable, oncePerIsolate, parseConfig, textVariable, type ConfigResult } from "../platform/config.ts";
import { proxyVariables } from "../platform/http/client-address.ts";

const surfaceName = z.enum(["registry", "ussd", "oracle", "query-gateway"]);

const schema = z.object({
  ...proxyVariables,
  /** `development` opens operator endpoints; unset is production, so that forgetting it is safe. */
  ENVIRONMENT: textVariable().transform((text) => text ?? "production"),
  ROOT_MESSAGE: textVariable().transform((text) => text ?? "twinedge is running"),
  /** Host to the surfaces that it serves; unset serves every surface on every host. */
  SURFACE_HOSTS: jsonVariable(
    z.record(z.string(), z.array(surfaceName), { error: "must map each host to a list of surfaces" }).nullable(),
    null,
  ),
});

export type SharedConfig = z.output<typeof schema>;

export const readSharedConfig: (env: Env) => ConfigResult<SharedConfig> = oncePerIsolate((env: Env) =>
  parseConfig(schema, env),
);
