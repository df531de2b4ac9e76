/** Who may lift a suspension: docs/decisions/005-registry.md, "Suspension". */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createCourt, interrupted, type Court } from "../../support/registry-court.ts";

const { DATABASE } = env;
const patch = (court: Court, domainId: string, key: string, status: string, edge = court.edge) =>
  edge.ask("PATCH", `/v1/domains/${domainId}`, { key, headers: { "If-Match": "*" }, body: { status } });
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

test("an admin's suspension of what its controller has suspended is the admin's to lift", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.domain();
  expect((await patch(court, domainId, court.controller, "suspended")).body.suspendedBy).toBe("controller");
  expect((await patch(court, domainId, court.admin, "suspended")).body).toMatchObject({
    suspendedBy: "admin",
    version: 3,
  });
  expect(refusal(await patch(court, domainId, court.controller, "active"))).toEqual([403, "suspended_by_admin"]);
  expect((await patch(court, domainId, court.controller, "suspended")).body).toMatchObject({ version: 3 });
  expect(refusal(await patch(court, domainId, court.controller, "active"))).toEqual([403, "suspended_by_admin"]);
  const { data } = await court.read(`/v1/domains/${domainId}/history?limit=1`);
  expect(data[0]).toMatchObject({
    action: "suspended",
    changes: [{ path: "/suspendedBy", from: "controller", to: "admin" }],
  });
  expect((await patch(court, domainId, court.admin, "active")).body).toMatchObject({
    status: "active",
    suspendedBy: null,
  });
});

test("a controller who lifts their own suspension while an admin suspends does not lift the admin's", async () => {
  const court = await createCourt(DATABASE, [1]);
  const domainId = await court.domain();
  await patch(court, domainId, court.controller, "suspended");
  const meanwhile = () => patch(court, domainId, court.admin, "suspended");
  const edge = court.beside({ DATABASE: interrupted(DATABASE, meanwhile) });
  expect(refusal(await patch(court, domainId, court.controller, "active", edge))).toEqual([403, "suspended_by_admin"]);
  expect(await court.read(`/v1/domains/${domainId}`)).toMatchObject({ status: "suspended", suspendedBy: "admin" });
});
