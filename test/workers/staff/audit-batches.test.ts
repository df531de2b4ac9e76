/** A change and its audit row are one batch, on both databases. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { openAudit } from "../../../platform/audit/audit.ts";
import { commit, requireThat } from "../../../workers/registry/store/batch.ts";
import { emptyAuditLog } from "../../support/staff/audit-tampering.ts";
import { ADMIN_TOKEN, staffEdge } from "../../support/staff/staff-edge.ts";

const { DATABASE } = env;
const act = { actor: "key_1", network: "192.0.2.1", operation: "putVoter", subject: null, requestId: "r" };
const open = () => openAudit(DATABASE, act, () => 1);

const insert = "INSERT INTO staff_used_challenges (digest, expires_at) VALUES (?1, 0)";
async function stored() {
  const used = await DATABASE.prepare("SELECT digest FROM staff_used_challenges ORDER BY digest").all<{
    digest: string;
  }>();
  const rows = await DATABASE.prepare("SELECT seq FROM audit_rows ORDER BY seq").all<{ seq: number }>();
  return [used.results.map(({ digest }) => digest), rows.results.map(({ seq }) => seq)];
}

beforeEach(async () => {
  await emptyAuditLog();
  await DATABASE.prepare("DELETE FROM staff_used_challenges").run();
});

test("a refused batch leaves no row and no number; the act's next batch has both [ALL-53, ALL-54]", async () => {
  const { database, hasWritten } = open();
  const write = (digest: string) => database.prepare(insert).bind(digest);
  expect(await commit(database, [write("a"), requireThat(database, "1 = 2")])).toBe("conflict");
  expect([hasWritten(), await stored()]).toEqual([false, [[], []]]);
  expect(await commit(database, [write("a"), requireThat(database, "1 = 1")])).toBe("committed");
  await write("b").run();
  expect([hasWritten(), await stored()]).toEqual([true, [["a", "b"], [1]]]);
});

test("a change whose row cannot be stored is not stored either [ALL-53]", async () => {
  await open().writeNow();
  await DATABASE.prepare("UPDATE audit_numbers SET last = 0").run();
  const { database } = open();
  await expect(database.prepare(insert).bind("a").run()).rejects.toThrow("UNIQUE constraint failed: audit_rows.seq");
  expect(await stored()).toEqual([[], [1]]);
});

test("of two writes at once, the second has the row if the first fails [ALL-53]", async () => {
  const { database, hasWritten } = open();
  const failing = database.batch([requireThat(database, "1 = 2")]);
  const second = database.prepare(insert).bind("a").run();
  await expect(failing).rejects.toThrow("CHECK constraint failed");
  expect((await second).meta.changes).toBe(1);
  expect([hasWritten(), await stored()]).toEqual([true, [["a"], [1]]]);
});

test("the first write returns its own rows, without those of the audit [ALL-53]", async () => {
  const { database } = open();
  const returning = database.prepare(`${insert} RETURNING digest`);
  expect(await returning.bind("a").first("digest")).toBe("a");
  expect(await returning.bind("b").first()).toEqual({ digest: "b" });
  expect((await returning.bind("c").all()).results).toEqual([{ digest: "c" }]);
});

test("acts of several surfaces at once get consecutive numbers [ALL-54]", async () => {
  const edge = staffEdge();
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => [
      edge.browser().call("POST", "/staff/members", { headers, body: { name: `Person ${at}`, role: "viewer" } }),
      edge.browser().call("POST", "/v1/api-keys", {
        headers,
        body: { label: "Writer", did: "did:web:writer.test", scopes: ["domains:read"] },
      }),
    ]).flat(),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  await edge.settled();
  const [, numbers] = await stored();
  expect(numbers).toEqual(Array.from({ length: 80 }, (_, at) => at + 1));
});
