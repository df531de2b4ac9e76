/** Who can lift a suspension: docs/decisions/005-registry.md, "Suspension". */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createRegistryFixture, interrupted, type RegistryFixture } from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const patch = (fixture: RegistryFixture, domainId: string, key: string, status: string, edge = fixture.edge) =>
  edge.ask("PATCH", `/v1/domains/${domainId}`, { key, headers: { "If-Match": "*" }, body: { status } });
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

test("an admin's suspension on top of the controller's can only be lifted by an admin [RG-68]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.domain();
  expect((await patch(fixture, domainId, fixture.controller, "suspended")).body.suspendedBy).toBe("controller");
  expect((await patch(fixture, domainId, fixture.admin, "suspended")).body).toMatchObject({
    suspendedBy: "admin",
    version: 3,
  });
  expect(refusal(await patch(fixture, domainId, fixture.controller, "active"))).toEqual([403, "suspended_by_admin"]);
  expect((await patch(fixture, domainId, fixture.controller, "suspended")).body).toMatchObject({ version: 3 });
  expect(refusal(await patch(fixture, domainId, fixture.controller, "active"))).toEqual([403, "suspended_by_admin"]);
  const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=1`);
  expect(data[0]).toMatchObject({
    action: "suspended",
    changes: [{ path: "/suspendedBy", from: "controller", to: "admin" }],
  });
  expect((await patch(fixture, domainId, fixture.admin, "active")).body).toMatchObject({
    status: "active",
    suspendedBy: null,
  });
});

test("a controller who lifts their own suspension while an admin suspends does not lift the admin's", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.domain();
  await patch(fixture, domainId, fixture.controller, "suspended");
  const meanwhile = () => patch(fixture, domainId, fixture.admin, "suspended");
  const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, meanwhile) });
  expect(refusal(await patch(fixture, domainId, fixture.controller, "active", edge))).toEqual([
    403,
    "suspended_by_admin",
  ]);
  expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({ status: "suspended", suspendedBy: "admin" });
});
