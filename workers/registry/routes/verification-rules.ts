/** The rules by which the next proposal would be decided, and the power of the voter registry. */
import * as z from "zod";
import { sha256Hex } from "../../platform/digest.ts";
import { reply } from "../../platform/http/route.ts";
import { votingRulesOf, votingRulesSchema } from "../governance/voting-rules.ts";
import { keyed } from "../http/authentication.ts";
import { route } from "../http/route.ts";
import { readElectorate } from "../store/proposal-store.ts";

export const verificationRuleRoutes = [
  route(
    {
      method: "get",
      path: "/v1/verification-rules",
      id: "getVerificationRules",
      summary: "The voting rules in force and the size of the voter registry",
      description: "An open proposal keeps the rules and the electorate that it was opened with.",
      tag: "Verification",
      auth: keyed(),
      conditional: true,
      responses: {
        200: {
          description: "Rules, total power of the voter registry, and its voters",
          content: { schema: z.object({ rules: votingRulesSchema, totalPower: z.int(), voterCount: z.int() }) },
          headers: { ETag: "Changes with the content" },
        },
      },
    },
    async (_input, c) => {
      const { config, database } = c.var.runtime;
      const { totalPower, voterCount } = await readElectorate(database);
      const rules = { rules: votingRulesOf(config), totalPower, voterCount };
      return reply(rules, { headers: { ETag: `"${await sha256Hex(JSON.stringify(rules))}"` } });
    },
  ),
];
