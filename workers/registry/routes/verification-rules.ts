/** The rules by which the next proposal would be decided, and the power of the roll (contract/registry.md section 6.3). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, knownTag } from "../description.ts";
import { votingRulesOf, votingRulesSchema } from "../governance/voting-rules.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { keyed } from "../middleware/keyed.ts";
import { answerUnlessKnown } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";
import { readElectorate } from "../store/proposal-store.ts";

export const verificationRuleRoutes = new Hono<RegistryHono>();

const read: Operation = {
  method: "get",
  path: "/v1/verification-rules",
  id: "getVerificationRules",
  summary: "The voting rules in force and the size of the voter roll",
  description: "An open proposal keeps the rules and the electorate that it was made with.",
  tag: "Verification",
  security: keyedSecurity,
  headers: knownTag,
  responses: {
    200: {
      description: "Rules, total power of the roll, and its voters",
      content: { schema: z.object({ rules: votingRulesSchema, totalPower: z.int(), voterCount: z.int() }) },
      headers: { ETag: "Changes with the content" },
    },
    304: { description: "Not changed" },
    ...keyedProblems(),
  },
};

verificationRuleRoutes.get(read.path, keyed(), async (c) => {
  const { config, database } = c.var.runtime;
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const { totalPower, voterCount } = await readElectorate(database);
  const answer = { rules: votingRulesOf(config), totalPower, voterCount };
  return answerUnlessKnown(c, { etag: `"${await sha256Hex(JSON.stringify(answer))}"` }, answer);
});

export const verificationRuleOperations: readonly Operation[] = [read];
