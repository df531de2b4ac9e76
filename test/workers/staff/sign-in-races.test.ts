/** A change by an administrator takes effect, whatever other request runs at the same time. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Database } from "../../../platform/database/database.ts";
import { changeStaff, putInvitation } from "../../../workers/staff/store.ts";
import { softwareAuthenticator } from "../../support/staff/software-authenticator.ts";
import { ADMIN_TOKEN, staffEdge } from "../../support/staff/staff-edge.ts";

const edge = staffEdge();
const operator = { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } };

/** Calls `act` before the batch with this number. */
function interrupted(number: number, act: () => Promise<unknown>): Database {
  const database: Database = env.DATABASE;
  let batches = 0;
  return {
    prepare: (sql) => database.prepare(sql),
    async batch(statements) {
      batches += 1;
      if (batches === number) await act();
      return database.batch(statements);
    },
  };
}

describe("between the check of a passkey and its session", () => {
  /** The first batch uses up the challenge, the second one adds the session. */
  const signInDuring = (act: () => Promise<unknown>) => staffEdge({ DATABASE: interrupted(2, act) });

  test("a person who is disabled gets none, even after they are enabled again [ALL-46]", async () => {
    const { authenticator, id } = await edge.signedIn("viewer");
    const disable = async (disabled: boolean) =>
      edge.browser().call("PATCH", `/staff/members/${id}`, { ...operator, body: { disabled } });
    const slow = signInDuring(() => disable(true));
    const page = slow.browser();
    expect((await slow.signIn(page, authenticator)).status).toBe(401);
    expect(page.cookie).toBeUndefined();
    await disable(false);
    const count = env.DATABASE.prepare("SELECT count(*) AS count FROM staff_sessions WHERE staff_id = ?1").bind(id);
    expect(await count.first("count")).toBe(0);
    await slow.settled();
    const audit = await edge.browser().call("GET", `/staff/audit?actor=${id}`, operator);
    expect(audit.body.data[0]).toMatchObject({ operation: "signInStaff", status: 401 });
  });

  test("a passkey that a new invitation replaces opens none [ALL-45]", async () => {
    const { authenticator, id } = await edge.signedIn("viewer");
    const slow = signInDuring(async () => {
      const { body } = await edge.browser().call("POST", `/staff/members/${id}/invitations`, operator);
      await edge.accept(edge.browser(), body.token, await softwareAuthenticator());
    });
    expect((await slow.signIn(slow.browser(), authenticator)).status).toBe(401);
  });
});

test("two administrators who disable a person and change the role both succeed [ALL-47]", async () => {
  const { id } = await edge.signedIn("viewer");
  const path = `/staff/members/${id}`;
  // The role is written after the person is disabled, by a request that read them before.
  const slow = staffEdge({
    DATABASE: interrupted(1, () => edge.browser().call("PATCH", path, { ...operator, body: { disabled: true } })),
  });
  const changed = await slow.browser().call("PATCH", path, { ...operator, body: { role: "operator" } });
  expect(changed.body).toMatchObject({ role: "operator", disabledAt: expect.any(String) });
});

test("a disabled person has no invitation that waits until they are enabled [ALL-46]", async () => {
  const { id } = await edge.invite("viewer");
  await changeStaff(env.DATABASE, id, { disabled: true, now: 1 });
  const invitation = { staffId: id, digest: crypto.randomUUID(), expiresAt: 2 };
  expect(await putInvitation(env.DATABASE, invitation)).toBe(false);
  await changeStaff(env.DATABASE, id, { disabled: false, now: 1 });
  expect(await putInvitation(env.DATABASE, invitation)).toBe(true);
});
