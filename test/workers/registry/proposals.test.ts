/** Proposals over their routes. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createRegistryFixture, type RegistryFixture } from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const HOUR = 3_600_000;

const proposeRaw = (fixture: RegistryFixture, domainId: string, body: object, key = fixture.proposer, headers = {}) =>
  fixture.ask("POST", `/v1/domains/${domainId}/proposals`, { key, body, headers });
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

describe("opening a proposal", () => {
  test("returns it whole, puts the domain under vote and records it in the history [RG-88]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [2, 1]);
    const domainId = await fixture.domain();
    const before = await fixture.read(`/v1/domains/${domainId}`);
    const body = { title: " Verify it ", summary: "All there", package: { notes: "n" }, foo: 1, state: "passed" };
    const opened = await proposeRaw(fixture, domainId, body);
    expect(opened.status).toBe(201);
    expect(opened.headers.get("Location")).toBe(`/v1/proposals/${opened.body.id}`);
    expect(opened.body.id).toMatch(/^prp_[0-9A-Za-z]{22}$/);
    expect(opened.body).toEqual({
      id: opened.body.id,
      domainId,
      kind: "verify",
      title: "Verify it",
      summary: "All there",
      proposer: fixture.proposerDid,
      proposerRole: "compliance",
      package: {
        entityDocument: null,
        controllers: null,
        class: null,
        relayerNode: null,
        credentials: [],
        evidence: [],
        programme: null,
        notes: "n",
        domain: {
          id: domainId,
          version: 1,
          type: "Project",
          class: "did:ixo:protocol/clean-cooking",
          controllers: [fixture.controllerDid],
          relayerNode: null,
          externalId: null,
          validFrom: null,
          validUntil: null,
          metadataHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          documentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          credentialsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          accountsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
      reason: null,
      state: "open",
      outcomeReason: null,
      rules: {
        quorumBp: 3_340,
        thresholdBp: 5_000,
        vetoBp: 3_340,
        votingPeriodSeconds: 259_200,
        allowRevote: false,
        excludedVoters: "none",
      },
      totalPower: 3,
      tally: { yes: 0, no: 0, abstain: 0, noWithVeto: 0, cast: 0 },
      quorumMet: false,
      createdAt: "2026-11-21T09:00:00Z",
      votingEndsAt: "2026-11-24T09:00:00Z",
      decidedAt: null,
      decidedEarly: false,
      previousStatus: "AwaitingVerification",
      awaiting: { reason: "quorum", quorumMissing: 2, yesToPass: 2, noToReject: 2, remaining: 3 },
    });
    const electorsWithoutKey = { count: 0, power: 0, dids: [] };
    expect(await fixture.read(`/v1/proposals/${opened.body.id}`)).toEqual({ ...opened.body, electorsWithoutKey });
    const domain = await fixture.read(`/v1/domains/${domainId}`);
    expect(domain).toMatchObject({ verificationStatus: "UnderVote", openProposalId: opened.body.id, version: 2 });
    expect(domain.versionId).not.toBe(before.versionId);
    const { data } = await fixture.read(`/v1/domains/${domainId}/history`);
    expect(data[0]).toMatchObject({
      action: "proposal-opened",
      actor: fixture.proposerDid,
      proposalId: opened.body.id,
      version: 2,
    });
  });

  test("requires a representative: a controller without the scope cannot, nor can an admin [RG-10, RG-88]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const body = { title: "t", package: {} };
    for (const key of [fixture.controller, fixture.admin]) {
      const refused = await proposeRaw(fixture, domainId, body, key);
      expect(refusal(refused)).toEqual([403, "insufficient_scope"]);
      expect(refused.headers.get("WWW-Authenticate")).toContain('scope="verification:propose"');
    }
    expect(refusal(await fixture.ask("POST", `/v1/domains/${domainId}/proposals`, { body }))).toEqual([
      401,
      "unauthenticated",
    ]);
    expect((await fixture.read(`/v1/domains/${domainId}`)).version).toBe(1);
  });

  test("requires a domain, a valid body and a package that agrees with the domain [RG-90]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const unknown = `did:ixo:entity:${"0".repeat(32)}`;
    const sound = { title: "t", package: {} };
    expect(refusal(await proposeRaw(fixture, unknown, sound))).toEqual([404, "not_found"]);
    expect(refusal(await proposeRaw(fixture, "nobody", sound))).toEqual([400, "invalid_did"]);
    const domainId = await fixture.domain();
    const faulty = await proposeRaw(fixture, domainId, { kind: "verify" });
    expect(refusal(faulty)).toEqual([400, "validation_failed"]);
    expect(faulty.body.errors).toMatchObject([{ pointer: "/title", code: "required" }]);
    const other = await proposeRaw(fixture, domainId, { title: "t", package: { class: "did:ixo:protocol/other" } });
    expect(refusal(other)).toEqual([422, "package_mismatch"]);
    expect(other.body.errors).toMatchObject([{ pointer: "/package/class" }]);
    const contradicting = {
      protocol: "did:ixo:protocol/other",
      entityDocument: { "@context": [{ class: "did:ixo:protocol/other" }], id: unknown, type: "Device" },
    };
    const several = await proposeRaw(fixture, domainId, { title: "t", package: contradicting });
    expect(refusal(several)).toEqual([422, "package_mismatch"]);
    expect(several.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/package/protocol",
      "/package/entityDocument/id",
      "/package/entityDocument/type",
      "/package/entityDocument/@context/0/class",
    ]);
    const evidence = [{ type: "report", uri: "not a uri" }];
    const noUri = await proposeRaw(fixture, domainId, { title: "t", package: { evidence } });
    expect(refusal(noUri)).toEqual([400, "validation_failed"]);
    expect(noUri.body.errors).toMatchObject([{ pointer: "/package/evidence/0/uri", code: "format" }]);
    expect(await fixture.history(domainId)).toEqual(["created"]);
  });

  test("is refused if the state of the domain does not allow it [RG-91]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const verify = { title: "t", package: {} };
    const revoke = { kind: "revoke", title: "t", reason: "r" };

    const fresh = await fixture.domain();
    expect(refusal(await proposeRaw(fixture, fresh, revoke))).toEqual([409, "not_verified"]);
    await fixture.propose(fresh);
    expect(refusal(await proposeRaw(fixture, fresh, verify))).toEqual([409, "proposal_open"]);

    const verified = await fixture.verified();
    expect(refusal(await proposeRaw(fixture, verified, verify))).toEqual([409, "already_verified"]);
    expect((await fixture.patch(verified, { status: "suspended" })).status).toBe(200);
    expect((await proposeRaw(fixture, verified, revoke)).status).toBe(201);

    const suspended = await fixture.domain();
    await fixture.patch(suspended, { status: "suspended" });
    expect(refusal(await proposeRaw(fixture, suspended, verify))).toEqual([409, "domain_not_active"]);

    const expired = await fixture.domain({ validUntil: "2026-11-21T09:00:00Z" });
    expect(refusal(await proposeRaw(fixture, expired, verify))).toEqual([409, "domain_expired"]);
  });

  test("T18, T22: requires a voter who is not excluded by the rules [RG-91, RG-101]", async () => {
    const nobody = await createRegistryFixture(DATABASE, []);
    const body = { title: "t", package: {} };
    expect(refusal(await proposeRaw(nobody, await nobody.domain(), body))).toEqual([409, "no_eligible_voters"]);

    for (const [excluded, totalPower, status] of [
      ["none", 2, 201],
      ["proposer", 1, 403],
    ] as const) {
      const fixture = await createRegistryFixture(DATABASE, [1], { REGISTRY_EXCLUDED_VOTERS: excluded });
      await fixture.ask("PUT", `/v1/voters/${fixture.proposerDid}`, { key: fixture.admin, body: { weight: 1 } });
      const proposalId = await fixture.propose(await fixture.domain());
      expect((await fixture.read(`/v1/proposals/${proposalId}`)).totalPower).toBe(totalPower);
      const path = `/v1/proposals/${proposalId}/votes`;
      const voted = await fixture.ask("POST", path, { key: fixture.proposer, body: { option: "yes" } });
      expect(voted.status).toBe(status);
    }
  });

  test("with one Idempotency-Key is one proposal, however often it is sent [RG-72, RG-73]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const send = (title = "t") =>
      proposeRaw(fixture, domainId, { title, package: {} }, fixture.proposer, { "Idempotency-Key": "k-1" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => send()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(refusal(await send("other"))).toEqual([422, "idempotency_mismatch"]);
    expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened"]);
  });
});

describe("withdrawing [RG-92]", () => {
  test("restores the status before the proposal, and keeps the tally", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 1, 1, 1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    await fixture.vote(proposalId, 0, "no");
    const path = `/v1/proposals/${proposalId}/withdraw`;
    const foreign = await fixture.ask("POST", path, { key: fixture.controller });
    expect(refusal(foreign)).toEqual([403, "not_proposer"]);
    const withdrawn = await fixture.ask("POST", path, { key: fixture.proposer, body: { reason: "Incomplete" } });
    expect(withdrawn).toMatchObject({
      status: 200,
      body: { state: "withdrawn", outcomeReason: "Incomplete", decidedAt: "2026-11-21T09:00:00Z", tally: { no: 1 } },
    });
    expect(withdrawn.body.awaiting).toBeNull();
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toEqual({ ...withdrawn.body, electorsWithoutKey: null });
    const domain = await fixture.read(`/v1/domains/${domainId}`);
    expect(domain).toMatchObject({ verificationStatus: "AwaitingVerification", openProposalId: null });
    const { data } = await fixture.read(`/v1/domains/${domainId}/history`);
    expect(data[0]).toMatchObject({
      action: "proposal-withdrawn",
      reason: "Incomplete (yes 0, no 1, abstain 0, no with veto 0, of 4)",
      proposalId,
    });
    expect(refusal(await fixture.ask("POST", path, { key: fixture.proposer }))).toEqual([409, "proposal_closed"]);
    expect(refusal(await fixture.vote(proposalId, 1))).toEqual([409, "proposal_closed"]);
  });

  test("is open to admins, and impossible once the proposal is decided or over", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const withdraw = (id: string, key: string) => fixture.ask("POST", `/v1/proposals/${id}/withdraw`, { key });
    expect((await withdraw(await fixture.propose(await fixture.domain()), fixture.admin)).status).toBe(200);
    const decided = await fixture.propose(await fixture.domain());
    await fixture.vote(decided, 0);
    expect(refusal(await withdraw(decided, fixture.admin))).toEqual([409, "proposal_closed"]);
    const over = await fixture.propose(await fixture.domain());
    fixture.edge.clock.now += 72 * HOUR;
    expect(refusal(await withdraw(over, fixture.proposer))).toEqual([409, "proposal_closed"]);
    expect(refusal(await withdraw("prp_none", fixture.admin))).toEqual([404, "not_found"]);
  });
});

describe("reading proposals", () => {
  test("a proposal has a tag that changes with each vote [RG-93]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 1, 1]);
    const path = `/v1/proposals/${await fixture.propose(await fixture.domain())}`;
    const first = await fixture.ask("GET", path, { key: fixture.proposer });
    const etag = String(first.headers.get("ETag"));
    const ask = () => fixture.ask("GET", path, { key: fixture.proposer, headers: { "If-None-Match": etag } });
    expect((await ask()).status).toBe(304);
    await fixture.vote(String(first.body.id), 0);
    expect(await ask()).toMatchObject({ status: 200, body: { tally: { yes: 1, cast: 1 } } });
    expect(refusal(await fixture.ask("GET", "/v1/proposals/prp_none", { key: fixture.proposer }))).toEqual([
      404,
      "not_found",
    ]);
  });

  test("lists return each once, page by page, newest first, and filters narrow them [RG-93, RG-81]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainIds: string[] = [];
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      domainIds.push(await fixture.domain());
      ids.push(await fixture.propose(String(domainIds[at])));
      fixture.edge.clock.now += 1_000;
    }
    await fixture.vote(String(ids[1]), 0);
    const mine = `proposer=${fixture.proposerDid}`;
    const listed = async (query: string) => {
      const { data, page } = await fixture.read(`/v1/proposals?${query}`);
      return { ids: data.map(({ id }: { id: string }) => id), ...page };
    };
    const walked: string[] = [];
    for (let cursor = ""; ;) {
      const page = await listed(`${mine}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      walked.push(...page.ids);
      if (!page.hasMore) break;
      cursor = page.nextCursor;
    }
    expect(walked).toEqual(ids.toReversed());
    expect((await listed(`${mine}&state=passed`)).ids).toEqual([ids[1]]);
    expect((await listed(`${mine}&state=passed&state=open`)).ids.length).toBe(5);
    expect((await listed(`domain=${domainIds[2]}`)).ids).toEqual([ids[2]]);
    expect((await listed(`${mine}&kind=revoke`)).ids).toEqual([]);
    expect((await listed(`${mine}&electorate=me`)).ids).toEqual([]);
    const asVoter = await fixture.ask("GET", `/v1/proposals?electorate=me&state=open`, {
      key: fixture.voters[0] ?? "",
    });
    expect(asVoter.body.data.length).toBe(4);
    const ofDomain = await fixture.read(`/v1/domains/${domainIds[3]}/proposals`);
    expect(ofDomain.data).toMatchObject([{ id: ids[3], state: "open" }]);

    const { nextCursor } = await listed(`${mine}&limit=2`);
    for (const [query, code] of [
      [`cursor=${nextCursor}`, "invalid_cursor"],
      ["cursor=none", "invalid_cursor"],
      ["state=lost", "validation_failed"],
      ["electorate=you", "validation_failed"],
      ["limit=0", "invalid_page_size"],
      ["limit=101", "invalid_page_size"],
      ["colour=red", "unknown_parameter"],
    ]) {
      const refused = await fixture.ask("GET", `/v1/proposals?${query}`, { key: fixture.proposer });
      expect([query, ...refusal(refused)]).toEqual([query, 400, code]);
    }
  });

  test("the list continues with its own cursor, however many filters it has", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const ids: string[] = [];
    for (let at = 0; at < 2; at += 1) {
      const domain = await fixture.domain();
      await fixture.propose(domain);
      ids.push(domain);
    }
    const others = Array.from({ length: 48 }, (_, at) => `did:ixo:entity:${String(at).padStart(32, "f")}`);
    const filters = [...ids, ...others].map((id) => `domain=${id}`).join("&");
    const first = await fixture.read(`/v1/proposals?limit=1&${filters}`);
    const second = await fixture.read(`/v1/proposals?limit=1&${filters}&cursor=${first.page.nextCursor}`);
    const found = [...first.data, ...second.data].map(({ domainId }: { domainId: string }) => domainId);
    expect(found.toSorted()).toEqual(ids.toSorted());
    expect(second.page).toMatchObject({ hasMore: false, nextCursor: null });
  });

  test("the rules in force are shown with the roll; open proposals keep theirs [RG-99]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [2, 3]);
    const rules = await fixture.ask("GET", "/v1/verification-rules", { key: fixture.controller });
    expect(rules.body).toMatchObject({ rules: { quorumBp: 3_340 }, totalPower: 5, voterCount: 2 });
    const headers = { "If-None-Match": String(rules.headers.get("ETag")) };
    expect((await fixture.ask("GET", "/v1/verification-rules", { key: fixture.controller, headers })).status).toBe(304);

    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const stricter = fixture.withSettings({ REGISTRY_QUORUM_BP: "10000", REGISTRY_THRESHOLD_BP: "10000" });
    const path = `/v1/proposals/${proposalId}/votes`;
    expect((await stricter.ask("POST", path, { key: fixture.voters[1] ?? "", body: { option: "yes" } })).status).toBe(
      201,
    );
    fixture.edge.clock.now += 72 * HOUR;
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      state: "passed",
      rules: { quorumBp: 3_340 },
    });
  });
});
