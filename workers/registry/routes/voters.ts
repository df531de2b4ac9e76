/** The voter roll (contract/registry.md section 6.4): who may vote on proposals made from now on, and how much it counts. */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { success, type Result } from "../../platform/result.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { did, keyedProblems, keyedSecurity, pageOf, pageParameters, time } from "../description.ts";
import { isDid } from "../did.ts";
import { wellFormed } from "../domain/shape.ts";
import { printTime } from "../domain/time.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { checkedBody } from "../middleware/checked-body.ts";
import { keyed } from "../middleware/keyed.ts";
import { answerPage, pageFrom, pageLimitOf, queryOf, withoutParameters } from "../middleware/query.ts";
import { registryFailure, refused } from "../failures.ts";
import { listVoters, putVoter, readVoter, removeVoter, type Voter } from "../store/voter-store.ts";

export const voterRoutes = new Hono<RegistryHono>();
const tag = "Governance";
const admin = keyed("registry:admin");

/** Voters of the roll: with the greatest weight each, products of the tally stay below 2^53 (section 6.5). */
const ROLL_CAPACITY = 10_000;
const GREATEST_WEIGHT = 1_000_000;
/** Characters. */
const LONGEST_LABEL = 200;

const voterBody = z.strictObject({
  weight: z.int().min(1).max(GREATEST_WEIGHT),
  label: z.string().max(LONGEST_LABEL).check(wellFormed).nullable().default(null),
});

const voterRecord = z
  .object({ did, weight: z.int(), label: z.string().nullable(), addedAt: time, updatedAt: time })
  .meta({ id: "Voter" });

const params = z.object({ did });
const content = { schema: voterRecord };

const listTheVoters: Operation = {
  method: "get",
  path: "/v1/voters",
  id: "listVoters",
  summary: "The voter roll, by DID",
  tag,
  security: keyedSecurity,
  query: z.object(pageParameters),
  responses: {
    200: { description: "One page", content: { schema: pageOf(voterRecord) }, headers: { Link: "The next page" } },
    ...keyedProblems("invalid_cursor", "invalid_page_size"),
  },
};

voterRoutes.get(listTheVoters.path, admin, async (c) => {
  const query = queryOf(c, ["limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const cursor = cursorOf("voters");
  const after = cursor.read(query.value.get("cursor"), z.tuple([z.string()]));
  if (!after.ok) return refuse(c, after.error);
  const voters = await listVoters(c.var.runtime.database, after.value?.[0] ?? "", limit.value + 1);
  const position = (last: Voter) => [last.did];
  return answerPage(c, pageFrom(voters, { limit: limit.value, show: representationOf, cursor, position }));
});

const readTheVoter: Operation = {
  method: "get",
  path: "/v1/voters/:did",
  id: "getVoter",
  summary: "One voter",
  tag,
  security: keyedSecurity,
  params,
  responses: { 200: { description: "The voter", content }, ...keyedProblems("invalid_did", "not_found") },
};

voterRoutes.get(readTheVoter.path, admin, withoutParameters, async (c) => {
  const named = namedVoter(c);
  if (!named.ok) return refuse(c, named.error);
  const voter = await readVoter(c.var.runtime.database, named.value);
  return voter === undefined ? refuse(c, unknownVoter) : c.json(representationOf(voter));
});

const putTheVoter: Operation = {
  method: "put",
  path: "/v1/voters/:did",
  id: "putVoter",
  summary: "Add a voter or change its weight; proposals that are open keep their electorate",
  tag,
  security: keyedSecurity,
  params,
  body: { schema: voterBody, example: { weight: 3, label: "Board" } },
  responses: {
    200: { description: "Changed", content },
    201: { description: "Added", content, headers: { Location: "The voter" } },
    ...keyedProblems(
      "invalid_did",
      "malformed_json",
      "validation_failed",
      "unknown_field",
      "body_too_large",
      "unsupported_media_type",
    ),
  },
};

voterRoutes.put(putTheVoter.path, admin, withoutParameters, async (c) => {
  const named = namedVoter(c);
  if (!named.ok) return refuse(c, named.error);
  const body = await checkedBody(c, voterBody, { limit: SMALL_BODY_BYTES });
  if (!body.ok) return refuse(c, body.error);
  const { database, clock } = c.var.runtime;
  const [wanted, now] = [{ did: named.value, weight: body.value.weight, label: body.value.label }, clock()];
  const before = await readVoter(database, named.value);
  const voter = await putVoter(database, wanted, { now, capacity: ROLL_CAPACITY });
  if (voter === undefined) return refuse(c, fullRoll);
  c.env.log.info("voter-put", { voter: voter.did, weight: voter.weight, by: c.var.caller.keyId });
  if (before !== undefined) return c.json(representationOf(voter));
  return c.json(representationOf(voter), 201, { Location: `/v1/voters/${voter.did}` });
});

const deleteTheVoter: Operation = {
  method: "delete",
  path: "/v1/voters/:did",
  id: "deleteVoter",
  summary: "Remove a voter; proposals that are open keep its power",
  tag,
  security: keyedSecurity,
  params,
  responses: { 204: { description: "Removed" }, ...keyedProblems("invalid_did", "not_found") },
};

voterRoutes.delete(deleteTheVoter.path, admin, withoutParameters, async (c) => {
  const named = namedVoter(c);
  if (!named.ok) return refuse(c, named.error);
  if (!(await removeVoter(c.var.runtime.database, named.value))) return refuse(c, unknownVoter);
  c.env.log.info("voter-removed", { voter: named.value, by: c.var.caller.keyId });
  return c.body(null, 204);
});

export const voterOperations: readonly Operation[] = [listTheVoters, readTheVoter, putTheVoter, deleteTheVoter];

const unknownVoter = registryFailure("not_found", "There is no such voter");
const fullRoll = registryFailure("validation_failed", `The roll holds ${ROLL_CAPACITY} voters; remove one first`);

/** The DID of the path, of a request whose query is empty. */
function namedVoter(c: RegistryContext): Result<string> {
  const query = queryOf(c);
  if (!query.ok) return query;
  const named = c.req.param("did") ?? "";
  return isDid(named) ? success(named) : refused("invalid_did", "The path must name a voter by its DID");
}

function representationOf({ addedAt, updatedAt, ...same }: Voter) {
  return { ...same, addedAt: printTime(addedAt), updatedAt: printTime(updatedAt) };
}
