/** A payer's view of their credits, and an operator's grants. */
import { databaseOf } from "../../../platform/database/database-of.ts";
import * as z from "zod";
import {
  claimList,
  creditAmount,
  creditsOf,
  creditsRecord,
  GRANT_KEY_LENGTH,
  microOf,
  payerDid,
} from "../../../protocol/credits.ts";
import { refuse } from "../../framework/admission.ts";
import { route, type PluginRoute } from "../../framework/plugin-routes.ts";
import { claimPage } from "./claims-table.ts";
import type { CreditSettings } from "./settings.ts";

/** Default number of rows in a page. */
const PAGE_SIZE = 20;
const LARGEST_CLAIM_PAGE = 100;

const ownClaims = route({
  method: "get",
  path: "/claims",
  id: "listClaims",
  summary: "List the cost of your turns",
  tag: "Credits",
  query: z.object({
    limit: z.coerce.number().int().min(1).default(PAGE_SIZE).meta({ description: "At most 100." }),
    cursor: z.string().max(100).optional().meta({ description: "The `next` of the previous page." }),
  }),
  responses: { 200: { description: "The newest first", schema: claimList } },
  async handler(_request, { env, user, query: { limit, cursor } }) {
    if (user === undefined) return Response.json({ claims: [] });
    const page = await claimPage(databaseOf(env), user.did, { limit: Math.min(limit, LARGEST_CLAIM_PAGE), cursor });
    return page === undefined
      ? refuse("invalid_request", "cursor must be the next of an earlier page")
      : Response.json(page);
  },
});

const ownCredits = (initial: number): PluginRoute =>
  route({
    method: "get",
    path: "/credits",
    id: "readCredits",
    summary: "Get your credits",
    tag: "Credits",
    responses: { 200: { description: "Free credits, and credits on hold", schema: creditsRecord } },
    async handler(_request, { env, user }) {
      if (user === undefined) return Response.json({ balance: 0, held: 0 });
      const { balance, held } = await env.CREDIT_LEDGER.getByName(user.did).summary(initial);
      return Response.json({ balance: creditsOf(balance), held: creditsOf(held) });
    },
  });

const grantBody = z.object({
  did: payerDid.meta({ description: "The DID that gets the credits." }),
  amount: creditAmount.meta({ description: "Credits." }),
  key: z.string().min(1).max(GRANT_KEY_LENGTH).meta({ description: "Repeating a key grants nothing more." }),
});

const grant = (operatorSecret: string): PluginRoute =>
  route({
    method: "post",
    path: "/credits/grants",
    id: "grantCredits",
    summary: "Grant credits",
    description: "For operators: `Authorization: Bearer <CRON_SECRET>`.",
    tag: "Credits",
    operatorSecret,
    body: grantBody,
    responses: {
      200: {
        description: "The credits were granted",
        schema: z.object({ granted: z.boolean(), balance: z.number() }),
        example: { granted: true, balance: 100 },
      },
    },
    async handler(_request, { env, body: { did, amount, key }, logger }) {
      const answer = await env.CREDIT_LEDGER.getByName(did).grant(key, microOf(amount));
      if (!answer.granted)
        return answer.reason === "conflict"
          ? refuse("conflict", "A different amount was granted with this key")
          : refuse("unprocessable", "An account cannot hold that many credits");
      logger.info("credits-granted", { did, amount, repeated: answer.repeated });
      return Response.json({ granted: !answer.repeated, balance: creditsOf(answer.balance) });
    },
  });

export function creditRoutes(settings: CreditSettings | undefined): readonly PluginRoute[] {
  const own = [ownClaims, ownCredits(settings?.initial ?? 0)];
  const { operatorSecret, subscriptionUrl } = settings ?? {};
  // With a remote backend, the service keeps the credits, so there is nothing to grant here.
  return operatorSecret === undefined || subscriptionUrl !== undefined ? own : [...own, grant(operatorSecret)];
}
