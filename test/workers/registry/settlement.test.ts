/** Reading and storing decisions. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { FINALISED_PER_RUN, finaliseDue } from "../../../workers/registry/commands/finalise-due.ts";
import { representationOf } from "../../../workers/registry/domain/representation.ts";
import { dueDomains, loadEffective } from "../../../workers/registry/store/effective-domain.ts";
import {
  type RegistryFixture,
  createRegistryFixture,
  decidedButNotExecuted,
  interrupted,
} from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const PERIOD = 72 * 3_600_000;

/** Everything that a reader can see of a domain and its proposals, with the tags. */
async function shown(fixture: RegistryFixture, domainId: string, proposalId?: string): Promise<readonly unknown[]> {
  const paths = [
    `/v1/domains/${domainId}`,
    `/v1/domains/${domainId}/history`,
    `/v1/domains/${domainId}/services/issuance`,
    `/v1/domains/${domainId}/eligibility?activity=issuance`,
    ...(proposalId === undefined ? [] : [`/v1/proposals/${proposalId}`]),
  ];
  const answers: unknown[] = [];
  for (const path of paths) {
    const response = await fixture.edge.call("GET", path, { key: fixture.proposer });
    answers.push([path, response.status, response.headers.get("ETag"), await response.text()]);
  }
  return answers;
}

const stored = async (proposalId: string) =>
  (await DATABASE.prepare("SELECT state FROM proposals WHERE id = ?").bind(proposalId).first<string>("state")) ??
  "none";

test("T21: an ended vote reads as decided, before the cron run and after it [RG-55, RG-108]", async () => {
  const fixture = await createRegistryFixture(
    DATABASE,
    Array.from({ length: 10 }, () => 1),
  );
  const domainId = await fixture.domain();
  const proposalId = await fixture.propose(domainId);
  for (const voter of [0, 1, 2, 3]) await fixture.vote(proposalId, voter);
  fixture.edge.clock.now += PERIOD + 12_345;
  const [asIf] = await loadEffective(DATABASE, [domainId], fixture.edge.clock.now);
  expect(await stored(proposalId)).toBe("open");
  const before = await shown(fixture, domainId, proposalId);
  expect(await fixture.read(`/v1/domains/${domainId}`)).toEqual(asIf && representationOf(asIf.domain));
  // A reader stores a decision before returning it.
  expect(await stored(proposalId)).toBe("passed");
  expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
    verificationStatus: "Verified",
    entityVerified: true,
    verifiedAt: "2026-11-24T09:00:00Z",
    updatedAt: "2026-11-24T09:00:00Z",
    openProposalId: null,
    version: 3,
  });
  expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
  await fixture.finalise();
  expect(await shown(fixture, domainId, proposalId)).toEqual(before);
});

test("a deciding vote counts before it is executed, and the next caller executes it", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const ends = async () => {
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    await decidedButNotExecuted(fixture, proposalId);
    expect(await stored(proposalId)).toBe("open");
    return { domainId, proposalId };
  };

  const read = await ends();
  const before = await shown(fixture, read.domainId, read.proposalId);
  expect(await fixture.read(`/v1/domains/${read.domainId}`)).toMatchObject({
    verificationStatus: "Verified",
    version: 3,
  });
  await fixture.finalise();
  expect(await stored(read.proposalId)).toBe("passed");
  expect(await shown(fixture, read.domainId, read.proposalId)).toEqual(before);

  const written = await ends();
  const patched = await fixture.patch(written.domainId, { metadata: { name: "New" } });
  expect(patched).toMatchObject({ status: 200, body: { version: 4, verificationStatus: "Verified" } });
  expect(await stored(written.proposalId)).toBe("passed");
  expect(await fixture.history(written.domainId)).toEqual(["created", "proposal-opened", "verified", "updated"]);
});

describe("the life of a domain [RG-87]", () => {
  test("rejected, proposed again, verified", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const status = async () => (await fixture.read(`/v1/domains/${domainId}`)).verificationStatus;
    await fixture.vote(await fixture.propose(domainId), 0, "no");
    expect(await status()).toBe("Rejected");
    const second = await fixture.propose(domainId);
    expect([await status(), (await fixture.read(`/v1/proposals/${second}`)).previousStatus]).toEqual([
      "UnderVote",
      "Rejected",
    ]);
    await fixture.vote(second, 0);
    expect(await status()).toBe("Verified");
    expect(await fixture.history(domainId)).toEqual([
      "created",
      "proposal-opened",
      "rejected",
      "proposal-opened",
      "verified",
    ]);
  });

  test("without votes it expires after 72 hours and restores the earlier status", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    fixture.edge.clock.now += PERIOD - 1;
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("UnderVote");
    fixture.edge.clock.now += 1;
    expect((await fixture.read(`/v1/domains/${domainId}`)).verificationStatus).toBe("AwaitingVerification");
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      state: "expired",
      outcomeReason: "quorum_not_met",
      decidedAt: "2026-11-24T09:00:00Z",
    });
    // A writer stores due steps first, then its own.
    const again = await fixture.propose(domainId);
    expect(await fixture.history(domainId)).toEqual([
      "created",
      "proposal-opened",
      "proposal-expired",
      "proposal-opened",
    ]);
    expect((await fixture.read(`/v1/domains/${domainId}`)).openProposalId).toBe(again);
  });

  test("services read off at validUntil, before the cron, and are stored so [RG-113, RG-111]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.verified({ validUntil: "2026-11-21T10:00:00Z" });
    const service = `/v1/domains/${domainId}/services/issuance`;
    await fixture.ask("PUT", service, { key: fixture.controller, body: { enabled: true } });
    fixture.edge.clock.now = Date.parse("2026-11-21T10:00:00Z") - 1;
    expect((await fixture.read(service)).enabled).toBe(true);
    fixture.edge.clock.now += 60_001;
    const eligibility = await fixture.read(`/v1/domains/${domainId}/eligibility`);
    expect(eligibility).toMatchObject({ eligible: false, reasons: [{ code: "expired" }] });
    expect(await fixture.read(service)).toMatchObject({
      enabled: false,
      disabledAt: "2026-11-21T10:00:00Z",
      disabledReason: "validity_ended",
    });
    const before = await shown(fixture, domainId);
    await fixture.finalise();
    expect(await shown(fixture, domainId)).toEqual(before);
    expect((await fixture.history(domainId)).at(-1)).toBe("validity-ended");
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
      version: 5,
      updatedAt: "2026-11-21T10:00:00Z",
      verificationStatus: "Verified",
    });
  });
});

describe("the cron", () => {
  test("stores at most the maximum in one run, the longest due first, and the rest in the next", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    // Proposals that earlier tests left open.
    await finaliseDue(DATABASE, Date.parse("2099-01-01T00:00:00Z"));
    const domainIds: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      domainIds.push(await fixture.domain());
      await fixture.propose(String(domainIds[at]));
      fixture.edge.clock.now += 1_000;
    }
    const now = fixture.edge.clock.now + PERIOD;
    expect(await finaliseDue(DATABASE, now, 3)).toEqual({ finalised: 3, conflicts: 0 });
    const open = await DATABASE.prepare(
      "SELECT domain_id FROM proposals WHERE state = 'open' AND domain_id IN (SELECT value FROM json_each(?))",
    )
      .bind(JSON.stringify(domainIds))
      .all<{ domain_id: string }>();
    expect(open.results.map(({ domain_id }) => domain_id).toSorted()).toEqual(domainIds.slice(3).toSorted());
    expect(await finaliseDue(DATABASE, now, 3)).toEqual({ finalised: 2, conflicts: 0 });
    expect(await finaliseDue(DATABASE, now, 3)).toEqual({ finalised: 0, conflicts: 0 });
    expect(FINALISED_PER_RUN).toBe(200);
  });

  test("stores more in one run than it reads at once", async () => {
    await finaliseDue(DATABASE, Date.parse("2099-01-01T00:00:00Z"));
    const fixture = await createRegistryFixture(DATABASE, [1]);
    for (let at = 0; at < 23; at += 1) await fixture.propose(await fixture.domain());
    const now = fixture.edge.clock.now + PERIOD;
    expect(await finaliseDue(DATABASE, now)).toEqual({ finalised: 23, conflicts: 0 });
  });

  test("a domain that cannot be stored delays no other", async () => {
    await finaliseDue(DATABASE, Date.parse("2099-01-01T00:00:00Z"));
    const fixture = await createRegistryFixture(DATABASE, [1]);
    for (let at = 0; at < 2; at += 1) await fixture.propose(await fixture.domain());
    const now = fixture.edge.clock.now + PERIOD;
    const failing = interrupted(DATABASE, () => Promise.reject(new Error("storage is away")));
    await expect(finaliseDue(failing, now)).rejects.toThrow("1 domains could not be finalised");
    expect(await finaliseDue(DATABASE, now)).toEqual({ finalised: 1, conflicts: 0 });
  });

  test("a damaged domain delays no other, whichever way it is read", async () => {
    await finaliseDue(DATABASE, Date.parse("2099-01-01T00:00:00Z"));
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const ids = [await fixture.domain(), ...(await Promise.all(Array.from({ length: 20 }, () => fixture.domain())))];
    for (const id of ids) await fixture.propose(id);
    const now = fixture.edge.clock.now + PERIOD;
    // The last of 21, so in a separate slice.
    const damaged = (await dueDomains(DATABASE, now, 200)).at(-1) ?? "";
    const { document } = (await DATABASE.prepare("SELECT document FROM domains WHERE id = ?")
      .bind(damaged)
      .first<{ document: string }>()) ?? { document: "" };
    const write = (text: string) =>
      DATABASE.prepare("UPDATE domains SET document = ? WHERE id = ?").bind(text, damaged).run();
    await write("[]");
    await expect(finaliseDue(DATABASE, now)).rejects.toThrow("1 domains could not be finalised");
    await write(document);
    expect(await finaliseDue(DATABASE, now)).toEqual({ finalised: 1, conflicts: 0 });
  });
});
