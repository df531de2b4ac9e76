/** The voter registry: who may vote on proposals that are opened from now on, and how much each vote counts. */
import * as z from "zod";
import { did, time } from "../domain/domain-schema.ts";
import { failsWith } from "../../platform/http/parameters.ts";
import { reply } from "../../platform/http/route.ts";
import { failure } from "../../platform/result.ts";
import { isDid } from "../did.ts";
import { wellFormed } from "../domain/shape.ts";
import { printTime } from "../domain/time.ts";
import { registryFailure } from "../failures.ts";
import { keyed } from "../http/authentication.ts";
import { pageFrom, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { listVoters, putVoter, readVoter, removeVoter, type Voter } from "../store/voter-store.ts";

/** Voters in all: with the greatest weight each, products of the tally stay below 2^53. */
const VOTERS = 10_000;
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
  .object({ did, weight: z.int(), label: z.string().nullable(), addedAt: time, updatedAt: time })
  .meta({ id: "Voter" });
const content = { schema: voterRecord };
const params = z.object({
  did: failsWith(
    z.string().refine(isDid).meta({ description: "A DID." }),
    registryFailure("invalid_did", "The path must name a voter by its DID"),
  ),
});
const unknownVoter = registryFailure("not_found", "There is no such voter");
const tooMany = registryFailure("validation_failed", `The roll holds ${VOTERS} voters; remove one first`);

const list = route(
  {
    method: "get",
    path: "/v1/voters",
    id: "listVoters",
    summary: "The voter registry, by DID",
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
    const voters = await listVoters(c.var.runtime.database, after.value?.[0] ?? "", limit + 1);
    return replyPage(c, pageFrom(voters, { limit, show: representationOf, cursors, position: ({ did }) => [did] }));
  },
);

const read = route(
  {
    method: "get",
    path: "/v1/voters/:did",
    id: "getVoter",
    summary: "One voter",
    tag,
    auth,
    params,
    responses: { 200: { description: "The voter", content } },
    failures: ["not_found"],
  },
  async ({ params: { did: named } }, c) => {
    const voter = await readVoter(c.var.runtime.database, named);
    return voter === undefined ? failure(unknownVoter) : reply(representationOf(voter));
  },
);

const put = route(
  {
    method: "put",
    path: "/v1/voters/:did",
    id: "putVoter",
    summary: "Add a voter or change its weight; proposals that are open keep their electorate",
    tag,
    auth,
    params,
    body: { schema: voterBody, example: { weight: 3, label: "Board" }, limit: SMALL_BODY_BYTES },
    responses: {
      200: { description: "Changed", content },
      201: { description: "Added", content, headers: { Location: "The voter" } },
    },
    failures: ["unknown_field"],
  },
  async ({ params: { did: named }, body, caller }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const { database, clock } = c.var.runtime;
    const before = await readVoter(database, named);
    const voter = await putVoter(database, { did: named, ...sent.value }, { now: clock(), capacity: VOTERS });
    if (voter === undefined) return failure(tooMany);
    c.env.log.info("voter-put", { voter: voter.did, weight: voter.weight, by: caller.keyId });
    if (before !== undefined) return reply(representationOf(voter));
    return reply(representationOf(voter), { status: 201, headers: { Location: `/v1/voters/${voter.did}` } });
  },
);

const remove = route(
  {
    method: "delete",
    path: "/v1/voters/:did",
    id: "deleteVoter",
    summary: "Remove a voter; proposals that are open keep its power",
    tag,
    auth,
    params,
    responses: { 204: { description: "Removed" } },
    failures: ["not_found"],
  },
  async ({ params: { did: named }, caller }, c) => {
    if (!(await removeVoter(c.var.runtime.database, named))) return failure(unknownVoter);
    c.env.log.info("voter-removed", { voter: named, by: caller.keyId });
    return reply(undefined, { status: 204 });
  },
);

export const voterRoutes = [list, read, put, remove];

function representationOf({ addedAt, updatedAt, ...same }: Voter) {
  return { ...same, addedAt: printTime(addedAt), updatedAt: printTime(updatedAt) };
}
