/** Every route, called by every role with a session's cookie: the table of roles decides, and nothing else. */
import { describe, expect, test } from "vitest";
import { mayCall, operationRoles, staffRoles } from "../../../platform/staff/roles.ts";
import { routes as registryRoutes } from "../../../workers/registry/router.ts";
import { staffRoutesOver } from "../../../workers/staff/app.ts";
import { operationRoutes } from "../../../workers/ussd/http/operation-routes.ts";
import { peopleRoutes } from "../../../workers/ussd/http/people-routes.ts";
import { sessionRoutes } from "../../../workers/ussd/http/session-routes.ts";
import { staffEdge } from "../../support/staff/staff-edge.ts";

const declared = [...registryRoutes, ...operationRoutes, ...sessionRoutes, ...peopleRoutes, ...staffRoutesOver({})].map(
  ({ declaration: { id, method, path, auth } }) => ({ id, method, path, auth }),
);
/**
 * Routes that need no session: open reads, and sign-in. They ignore a session's cookie. The phone gateway opens its
 * routes in development only.
 */
const isOpen = ({ auth, path }: (typeof declared)[number]) =>
  !path.startsWith("/api/ussd/") && (auth.security ?? []).some((needed) => needed.length === 0);
/** Routes for machines only. */
const closedToStaff = ["getCurrentApiKey", "queryGraphql", "queryGraphqlByUrl"];
const endSession = ["signOutStaff", "endAllStaffSessions"];
const refusals = [/cannot do this\. Roles that can: /, /Staff sessions cannot call this route/];

test("the table has each route that needs credentials, and no other operation [ALL-47]", () => {
  const guarded = declared.filter((route) => !isOpen(route) && !closedToStaff.includes(route.id));
  expect(guarded.map(({ id }) => id).filter((id) => !Object.hasOwn(operationRoles, id))).toEqual([]);
  const known = new Set(declared.map(({ id }) => id));
  expect(Object.keys(operationRoles).filter((id) => !known.has(id))).toEqual([]);
  expect(closedToStaff.filter((id) => Object.hasOwn(operationRoles, id))).toEqual([]);
});

describe.each(staffRoles)("%s", (role) => {
  test("calls exactly the routes of the table [ALL-47]", async () => {
    const edge = staffEdge();
    const { page, authenticator } = await edge.signedIn(role);
    const wrong: string[] = [];
    for (const route of declared.filter((each) => !isOpen(each))) {
      // The next minute of the limits.
      edge.clock.now += 60_000;
      const path = route.path.replaceAll(/:\w+/g, "none");
      const { status, body } = await page.call(route.method.toUpperCase(), path);
      const isRefused = status === 403 && refusals.some((text) => text.test(JSON.stringify(body)));
      if (isRefused === mayCall(role, route.id) || status === 401) wrong.push(`${route.id} ${status}`);
      if (endSession.includes(route.id)) await edge.signIn(page, authenticator);
    }
    expect(wrong).toEqual([]);
  });
});

test("a new role applies to the next request of an open session [ALL-47]", async () => {
  const edge = staffEdge();
  const { page, id } = await edge.signedIn("viewer");
  const { page: administrator } = await edge.signedIn("administrator");
  expect((await page.call("GET", "/v1/webhooks")).status).toBe(403);
  await administrator.call("PATCH", `/staff/members/${id}`, { body: { role: "operator" } });
  expect((await page.call("GET", "/v1/webhooks")).status).toBe(200);
  expect((await page.call("GET", "/v1/api-keys/current")).status).toBe(403);
});

test("an API key and the operators' tokens come before the cookie [ALL-47]", async () => {
  const edge = staffEdge();
  const { page } = await edge.signedIn("viewer");
  const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  expect((await page.call("GET", "/v1/api-keys")).status).toBe(403);
  expect((await page.call("GET", "/v1/api-keys", as("operator-token-of-32-characters!"))).status).toBe(200);
  expect((await page.call("GET", "/v1/api-keys", as("wrong"))).status).toBe(401);
});
