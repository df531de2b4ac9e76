/** The voter roll: the voters on proposals that are opened from now on, and their weights. */
import * as z from "zod";
import { did, time } from "../domain/domain-schema.ts";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { putVoter, removeVoter, unknownVoter } from "../commands/roll.ts";
import { isDid } from "../did.ts";
import { wellFormed } from "../domain/shape.ts";
import { printTime } from "../domain/time.ts";
import { registryFailure } from "../failures.ts";
import { noteChange } from "../http/audited.ts";
import { keyed } from "../http/authentication.ts";
import { firstOf, pageFrom, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { rollOf } from "../http/roll.ts";
import { route } from "../http/route.ts";
import { meteredPage } from "../http/row-meter.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { listRollChanges, listVoters, readVoter, type RecordedChange, type Voter } from "../store/voter-store.ts";

const GREATEST_WEIGHT = 1_000_000;
/** Characters. */
const LONGEST_LABEL = 200;

const tag = "Governance";
const auth = keyed("registry:admin");
const voterBody = z.strictObject({
  weight: z.int().min(1).max(GREATEST_WEIGHT),
  label: z.string().max(LONGEST_LABEL).check(wellFormed).nullable().default(null),
});
const voterRecord = z
  .object({
    did,
    weight: z.int(),
    label: z.string().nullable(),
    version: z
      .int()
      .meta({ description: 'Version of the roll at the last change of this voter; its ETag is `"v<version>"`.' }),
    warning: z
      .object({ code: z.enum(["no_voting_key"]), message: z.string() })
      .nullable()
      .meta({ description: "Why this voter cannot vote at present." }),
    addedAt: time,
    updatedAt: time,
  })
  .meta({ id: "Voter" });
const content = { schema: voterRecord };
const tagged = { ETag: "Tag of the voter. Send it as If-Match to replace the voter" };
const stateRecord = z.object({ weight: z.int(), label: z.string().nullable() }).nullable();
const changeRecord = z
  .object({
    version: z.int(),
    did,
    at: time,
    actor: did
      .nullable()
      .meta({ description: "The DID that changed it. Null for changes made before the roll was recorded." }),
    before: stateRecord.meta({ description: "Null: not on the roll." }),
    after: stateRecord.meta({ description: "Null: removed." }),
  })
  .meta({ id: "RollChange" });
const params = z.object({
  did: failsWith(
    z.string().refine(isDid).meta({ description: "A DID." }),
    registryFailure("invalid_did", "The path must name a voter by its DID"),
  ),
});

const list = route(
  {
    method: "get",
    path: "/v1/voters",
    id: "listVoters",
    summary: "List the voter roll by DID",
    tag,
    auth,
    query: z.object(pageParameters),
    responses: pageResponse(voterRecord),
    failures: ["invalid_cursor"],
  },
  async ({ query: { limit, cursor } }, c) => {
    const cursors = cursorOf("voters");
    const after = cursors.read(cursor, z.tuple([z.string()]));
    if (!after.ok) return after;
    const { database, speakers } = rollOf(c);
    const page = { after: after.value?.[0] ?? "", limit: limit + 1 };
    const voters = await meteredPage(c, page.limit, () => listVoters(database, speakers, page));
    if (!voters.ok) return voters;
    return replyPage(
      c,
      pageFrom(voters.value, { limit, show: representationOf, cursors, position: ({ did }) => [did] }),
    );
  },
);

const read = route(
  {
    method: "get",
    path: "/v1/voters/:did",
    id: "getVoter",
    summary: "Get a voter",
    tag,
    auth,
    params,
    responses: { 200: { description: "The voter", content, headers: tagged } },
    failures: ["not_found"],
  },
  async ({ params: { did: named } }, c) => {
    const { database, speakers } = rollOf(c);
    const voter = await readVoter(database, speakers, named);
    return voter === undefined ? unknownVoter() : replyVoter(voter);
  },
);

const put = route(
  {
    method: "put",
    path: "/v1/voters/:did",
    id: "putVoter",
    summary: "Add a voter or change its weight; open proposals keep their electorate",
    description:
      "A voter on the roll is replaced only with `If-Match` and the voter's ETag. The DID must be able to vote: a valid did:key, a domain of this registry, or a DID that an API key acts for.",
    tag,
    auth,
    params,
    headers: z.object({
      "If-Match": z
        .string()
        .optional()
        .meta({ description: "The ETag that was read, or `*`. Required to replace a voter." }),
    }),
    body: { schema: voterBody, example: { weight: 3, label: "Board" }, limit: SMALL_BODY_BYTES },
    responses: {
      200: { description: "Changed", content, headers: tagged },
      201: { description: "Added", content, headers: { Location: "The voter", ...tagged } },
    },
    failures: ["unknown_field", "precondition_required", "version_mismatch", "voter_cannot_vote", "write_contention"],
  },
  async ({ params: { did: named }, body, caller, ifMatch }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const changed = await putVoter(rollOf(c), {
      did: named,
      ...sent.value,
      actor: caller.did,
      at: c.var.runtime.clock(),
      precondition: (voter) => ifMatch(etagOf(voter)),
      expectsVoter: c.req.header("If-Match") !== undefined,
    });
    if (!changed.ok) return changed;
    const { voter, before, isNew } = changed.value;
    noteChange(c, { before: weightOf(before), after: weightOf(voter) });
    c.env.log.info("voter-put", { voter: voter.did, weight: voter.weight, version: voter.version, by: caller.keyId });
    return isNew ? replyVoter(voter, 201, { Location: `/v1/voters/${voter.did}` }) : replyVoter(voter);
  },
);

const remove = route(
  {
    method: "delete",
    path: "/v1/voters/:did",
    id: "deleteVoter",
    summary: "Remove a voter; open proposals keep its power",
    tag,
    auth,
    params,
    headers: z.object({
      "If-Match": z
        .string()
        .optional()
        .meta({ description: "Removes the voter only if it still has this ETag; `*` removes any version." }),
    }),
    responses: { 204: { description: "Removed" } },
    failures: ["not_found", "version_mismatch", "write_contention"],
  },
  async ({ params: { did: named }, caller, ifMatch }, c) => {
    const isConditional = (c.req.header("If-Match") ?? "").trim() !== "";
    const removed = await removeVoter(rollOf(c), named, {
      actor: caller.did,
      at: c.var.runtime.clock(),
      precondition: (voter) => (isConditional ? ifMatch(etagOf(voter)) : undefined),
    });
    if (!removed.ok) return removed;
    noteChange(c, { before: weightOf(removed.value) });
    c.env.log.info("voter-removed", { voter: named, by: caller.keyId });
    return reply(undefined, { status: 204 });
  },
);

const listChanges = route(
  {
    method: "get",
    path: "/v1/voter-changes",
    id: "listVoterChanges",
    summary: "List all changes of the voter roll, newest first",
    tag,
    auth,
    query: z.object({
      ...pageParameters,
      voter: z
        .preprocess(firstOf, z.string().refine(isDid, { error: "must be a DID" }).optional())
        .meta({ description: "Only changes of this voter." }),
    }),
    responses: pageResponse(changeRecord),
    failures: ["invalid_cursor"],
  },
  async ({ query: { limit, cursor, voter } }, c) => {
    const cursors = cursorOf(["voter-changes", voter ?? null]);
    const position = cursors.read(cursor, z.tuple([z.int().min(1)]));
    if (!position.ok) return position;
    const before = position.value?.[0] ?? Number.MAX_SAFE_INTEGER;
    const page = { did: voter, before, limit: limit + 1 };
    const changes = await meteredPage(c, page.limit, () => listRollChanges(c.var.runtime.database, page));
    if (!changes.ok) return changes;
    const endsAt = ({ version }: RecordedChange) => [version];
    const show = ({ at, ...same }: RecordedChange) => ({ ...same, at: printTime(at) });
    return replyPage(c, pageFrom(changes.value, { limit, show, cursors, position: endsAt }));
  },
);

export const voterRoutes = [list, read, put, remove, listChanges];

/** The label may be a name; the history of the roll has it. */
function weightOf(voter: Pick<Voter, "weight" | "version"> | undefined) {
  return voter === undefined ? null : { weight: voter.weight, version: voter.version };
}

function etagOf({ version }: Pick<Voter, "version">): string {
  return `"v${version}"`;
}

function replyVoter(voter: Voter, status = 200, headers: Readonly<Record<string, string>> = {}) {
  return reply(representationOf(voter), { status, headers: { ...headers, ETag: etagOf(voter) } });
}

const noVotingKey = {
  code: "no_voting_key",
  message: "No API key with verification:vote acts for this voter; issue one, or its power cannot be cast",
};

function representationOf({ hasKey, addedAt, updatedAt, ...same }: Voter) {
  return {
    ...same,
    warning: hasKey ? null : noVotingKey,
    addedAt: printTime(addedAt),
    updatedAt: printTime(updatedAt),
  };
}
