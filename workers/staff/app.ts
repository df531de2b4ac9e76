/** The staff surface at `/staff`: sign-in of people, their sessions, and administration of staff. */
import { Hono } from "hono";
import { newFailure } from "../../platform/failure.ts";
import { describeThrown } from "../../platform/log.ts";
import type { Surface } from "../../platform/surface.ts";
import { refuse, type StaffHono, type StaffRoute } from "./edge.ts";
import { memberRoutes } from "./member-routes.ts";
import { createStaffRates } from "./rates.ts";
import { sessionRoutes } from "./session-routes.ts";
import { signInRoutes } from "./sign-in-routes.ts";

export const staffRoutes: readonly StaffRoute[] = [...signInRoutes, ...sessionRoutes, ...memberRoutes];

/** `clock` returns Unix milliseconds. */
export function createStaffApp(clock: () => number = () => Date.now()): Pick<Surface, "fetch"> {
  const rates = createStaffRates(clock);
  const app = new Hono<StaffHono>({ strict: false });
  for (const route of staffRoutes) {
    const { id } = route.declaration;
    route.mount(app, [], [
      async (c, next) => {
        c.set("operation", id);
        c.set("now", clock());
        c.set("rates", rates);
        await next();
      },
    ]);
  }
  app.notFound((c) => refuse(c, newFailure("not_found", `Cannot ${c.req.method} ${c.env.path}`)));
  app.onError((thrown, c) => {
    c.env.log.error("request-failed", { reason: describeThrown(thrown) });
    return refuse(c, newFailure("internal", "Internal server error"));
  });
  return { fetch: (request, exchange, context) => app.fetch(request, exchange, context) };
}
