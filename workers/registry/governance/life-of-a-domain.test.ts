/**
 * A model of a domain's whole life under governance (docs/decisions/005-registry.md): random commands, through the
 * functions that the routes call, on a registry that finalises at once, on one that finalises late (both over SQLite),
 * and on a slow reference that tallies every possible rest of a vote. All three must agree at every moment.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DomainRecord } from "../domain/domain.ts";
import { reasonsAgainst } from "./eligibility.ts";
import { voteOptions } from "../../../shared/vote-tally.ts";
import { referenceDomain } from "../../../test/support/registry/reference-domain.ts";
import {
  createRegistry,
  rules,
  start,
  TICK,
  weights,
  type Command,
  type PlainCommand,
  type Registry,
} from "../../../test/support/registry/domain-life-in-node.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const tick = fc.record({ do: fc.constant("tick" as const), ticks: fc.integer({ min: 1, max: 4 }) });
const propose = fc.record({ do: fc.constant("propose" as const), kind: fc.constantFrom("verify" as const, "revoke") });
const vote = fc.record({
  do: fc.constant("vote" as const),
  voter: fc.integer({ min: 0, max: weights.length - 1 }),
  option: fc.oneof(fc.constant("yes" as const), fc.constantFrom(...voteOptions)),
});
const switching = fc.record({
  do: fc.constant("switch" as const),
  name: fc.constantFrom("reporting" as const, "issuance"),
  enabled: fc.oneof(fc.constant(true), fc.boolean()),
});
/** Includes times in the past, because a controller may correct them. */
const limit = fc.record({ do: fc.constant("limit" as const), ticks: fc.integer({ min: -2, max: 6 }) });
const other = fc.record({
  do: fc.constantFrom<PlainCommand[]>(
    "withdraw",
    "rename",
    "reclassify",
    "suspend",
    "reactivate",
    "reactivate",
    "admin-suspend",
    "admin-reactivate",
    "admin-reactivate",
    "finalise",
  ),
});
const deactivate = fc.constant({ do: "deactivate" as const });

/**
 * Random commands alone would hardly ever verify a domain, so whole votes are generated, with few or many disturbances.
 */
const election = fc
  .tuple(propose, fc.array(vote, { minLength: 1, maxLength: 5 }), fc.oneof(tick, switching, other))
  .map(([proposal, votes, then]): readonly Command[] => [proposal, ...votes, then]);
const verified: readonly Command[] = [
  { do: "admin-reactivate" },
  { do: "propose", kind: "verify" },
  ...[0, 1, 2, 3].map((voter) => ({ do: "vote", voter, option: "yes" }) as const),
  { do: "switch", name: "issuance", enabled: true },
];
const revocation: readonly Command[] = [
  { do: "propose", kind: "revoke" },
  { do: "vote", voter: 0, option: "yes" },
];

const anyPhrase: fc.Arbitrary<readonly Command[]> = fc.oneof(
  { weight: 6, arbitrary: election },
  { weight: 6, arbitrary: fc.constantFrom(verified, revocation, [...verified, ...revocation]) },
  { weight: 12, arbitrary: fc.oneof(tick, vote, switching, limit, other).map((only) => [only]) },
  { weight: 1, arbitrary: deactivate.map((only) => [only]) },
);
const anyLife = fc
  .array(anyPhrase, { minLength: 3, maxLength: 25, size: "max" })
  .map((phrases): readonly Command[] => phrases.flat());

/** Milliseconds; hundreds of lives take longer than the default timeout. */
const TIMEOUT = 180_000;

/** Each life has a hundred commands, so fewer of them find as much as the runs of a small property. */
const SHARE = 0.6;

let prompt: Registry;
let late: Registry;
beforeAll(async () => {
  [prompt, late] = [await createRegistry(), await createRegistry()];
});
afterAll(() => {
  prompt.close();
  late.close();
});

test(
  "reads before and after finalisation agree with each other and with the slow reference [RG-55, RG-87]",
  { timeout: TIMEOUT },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyLife, async (commands) => {
        await Promise.all([prompt.begin(), late.begin()]);
        const reference = referenceDomain({ weights, rules });
        let now = start;
        /** Number of entries that both registries stored and that were compared. */
        let compared = 0;
        for (const [serial, command] of commands.entries()) {
          if (command.do === "tick") {
            for (let tick = 0; tick < command.ticks; tick += 1) {
              prompt.tick((now += TICK));
              await prompt.finalise();
            }
            late.tick(now);
          }
          if (command.do === "finalise") await late.finalise();
          await prompt.run(command, serial);
          await prompt.finalise();
          await late.run(command, serial);
          reference.run(command, { now, tick: TICK, serial });

          const [seen, seenLate] = [await prompt.read(), await late.read()];
          expect(seen.unstored).toBe(0);
          expect(seenLate.domain).toEqual(seen.domain);
          expect(seenLate.history.slice(compared)).toEqual(seen.history.slice(compared));
          compared = seenLate.history.length - seenLate.unstored;
          expect(factsOf(seen.domain)).toEqual(reference.facts(now));
          expectSound(seen, now);
        }
      }),
      { numRuns: Math.ceil(numRuns * SHARE) },
    );
  },
);

function factsOf(domain: DomainRecord) {
  const { reporting, issuance } = domain.services;
  return {
    status: domain.status,
    suspendedBy: domain.suspendedBy,
    verificationStatus: domain.verificationStatus,
    changed: domain.changedSinceVerification,
    isProposed: domain.openProposalId !== null,
    reporting: reporting.enabled,
    issuance: issuance.enabled,
  };
}

type Seen = Pick<Awaited<ReturnType<Registry["read"]>>, "domain" | "history">;

/** Invariants of every read. */
function expectSound({ domain, history }: Seen, now: number): void {
  const isVerified = domain.verificationStatus === "Verified";
  const decisions = history.filter(({ action }) =>
    ["verified", "revoked", "verification-lost", "deactivated"].includes(String(action)),
  );
  expect(isVerified).toBe(decisions.at(-1)?.action === "verified");
  expect(domain.verifiedAt === null).toBe(!isVerified);
  expect(domain.verifiedVersion === null).toBe(!isVerified);
  const seen = history.find(({ after }) => after.version === domain.verifiedVersion)?.after;
  expect(seen?.class ?? domain.class).toBe(domain.class);
  const isRenamed = seen !== undefined && seen.name !== domain.name;
  expect(domain.changedSinceVerification.includes("metadata")).toBe(isRenamed);
  expect(isVerified && domain.status === "deactivated").toBe(false);
  const isOn = domain.services.reporting.enabled || domain.services.issuance.enabled;
  expect(isOn ? reasonsAgainst(domain, now) : []).toEqual([]);
  const versions = history.map(({ after }) => after.version);
  expect(versions).toEqual(versions.map((_, at) => at + 1));
  const times = history.map(({ after }) => Date.parse(after.updatedAt));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
}
