/** The routes of an oracle's plugins, declared like its own. A caller must be signed in unless the route is excluded. */
import type { PluginRoute, RoutePattern } from "../../durable-objects/chat-session/plugin.ts";
import { isExcluded } from "./plugins/plugin-loading.ts";
import { open, signedIn } from "./http/authentication.ts";
import { countBefore, countMeanwhile } from "./http/rate-limit.ts";
import { route, type OracleRoute } from "./http/route.ts";
import { success } from "../platform/result.ts";

export function pluginRouteOf({ operation, handle }: PluginRoute, excluded: readonly RoutePattern[]): OracleRoute {
  const { body, ...described } = operation;
  const isOpen = isExcluded(operation, excluded);
  const count = operation.method === "get" ? countMeanwhile : countBefore;
  return route(
    {
      ...described,
      auth: isOpen ? open : signedIn,
      middleware: isOpen ? [] : [count],
      ...(body === undefined ? {} : { body }),
    },
    async ({ query, body: readBody, env, runtime, caller }, c) => {
      const sent = body === undefined ? success(undefined) : await readBody();
      if (!sent.ok) return sent;
      return handle({
        request: c.req.raw,
        env,
        params: c.req.param(),
        query,
        body: sent.value,
        caller: isOpen ? undefined : caller,
        oracleDid: runtime.identity.did,
        requestId: c.env.requestId,
        log: c.env.log,
      });
    },
  );
}
