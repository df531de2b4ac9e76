/** What a payer sees of their credits, and how an operator grants some. */
import * as z from "zod";
import {
  claimList,
  creditAmount,
  creditsOf,
  creditsRecord,
  GRANT_KEY_LENGTH,
  microOf,
  payerDid,
} from "../../../../protocol/credits.ts";
import { readLimited } from "../../framework/guarded-fetch.ts";
import { route, type PluginRoute } from "../../framework/plugin-routes.ts";
import { sameSecret } from "../../framework/same-secret.ts";
import { parseJson, type JsonObject } from "../../../platform/json.ts";
import { claimPage } from "./claims-table.ts";
import type { CreditSettings } from "./settings.ts";

/** Rows of a page, unless the request asks for less or more. */
const PAGE_SIZE = 20;
const LARGEST_CLAIM_PAGE = 100;
/** Bytes of the body of a grant. */
const GRANT_BYTES = 4 * 1024;

function refused(statusCode: number, error: string, code: string, message: string, requestId: string): Response {
  const body: JsonObject = { statusCode, message, error, requestId, code, retryable: false };
  return Response.json(body, { status: statusCode, headers: { "Cache-Control": "no-store" } });
}

const ownClaims = route({
  method: "get",
  path: "/claims",
  id: "listClaims",
  summary: "List what your turns cost",
  tag: "Credits",
  query: z.object({
    limit: z.coerce.number().int().min(1).default(PAGE_SIZE).meta({ description: "At most 100." }),
    cursor: z.string().max(100).optional().meta({ description: "The `next` of the page before." }),
  }),
  responses: { 200: { description: "The newest first", schema: claimList } },
  async handler(_request, { env, user, query: { limit, cursor }, requestId }) {
    if (user === undefined) return Response.json({ claims: [] });
    const page = await claimPage(env.DATABASE, user.did, { limit: Math.min(limit, LARGEST_CLAIM_PAGE), cursor });
    return page === undefined
      ? refused(400, "Bad Request", "invalid_request", "cursor must be the next of an earlier page", requestId)
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
    responses: { 200: { description: "What is free, and what is on hold", schema: creditsRecord } },
    async handler(_request, { env, user }) {
      if (user === undefined) return Response.json({ balance: 0, held: 0 });
      const { balance, held } = await env.CREDIT_LEDGER.getByName(user.did).summary(initial);
      return Response.json({ balance: creditsOf(balance), held: creditsOf(held) });
    },
  });

const grantBody = z.object({
  did: payerDid.meta({ description: "Who gets the credits." }),
  amount: creditAmount.meta({ description: "Credits." }),
  key: z.string().min(1).max(GRANT_KEY_LENGTH).meta({ description: "The same key again grants nothing more." }),
});

const grant = (operatorSecret: string): PluginRoute =>
  route({
    method: "post",
    path: "/credits/grants",
    id: "grantCredits",
    summary: "Grant credits",
    description: "For operators: `Authorization: Bearer <CRON_SECRET>`.",
    tag: "Credits",
    public: true,
    responses: {
      200: {
        description: "The credits are there",
        schema: z.object({ granted: z.boolean(), balance: z.number() }),
        example: { granted: true, balance: 100 },
      },
    },
    async handler(request, { env, requestId, logger }) {
      const given = request.headers.get("Authorization")?.replace(/^Bearer /i, "");
      if (!(await sameSecret(given, operatorSecret)))
        return refused(401, "Unauthorized", "unauthenticated", "The operator's secret is missing or wrong", requestId);
      const body = grantBody.safeParse(await jsonOf(request));
      if (!body.success) return refused(400, "Bad Request", "invalid_request", describe(body.error), requestId);
      const { did, amount, key } = body.data;
      const answer = await env.CREDIT_LEDGER.getByName(did).grant(key, microOf(amount));
      if (!answer.granted)
        return answer.reason === "conflict"
          ? refused(409, "Conflict", "conflict", "Another amount was granted under this key", requestId)
          : refused(422, "Unprocessable Content", "unprocessable", "No account holds that many credits", requestId);
      logger.info("credits-granted", { did, amount, repeated: answer.repeated });
      return Response.json({ granted: !answer.repeated, balance: creditsOf(answer.balance) });
    },
  });

/** Read by hand, so that nothing of it is looked at before the secret was. */
async function jsonOf(request: Request): Promise<unknown> {
  const bytes = await readLimited(request, GRANT_BYTES);
  const parsed = bytes.ok ? parseJson(new TextDecoder().decode(bytes.value)) : bytes;
  return parsed.ok ? parsed.value : undefined;
}

function describe({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`).join("; ");
}

export function creditRoutes(settings: CreditSettings | undefined): readonly PluginRoute[] {
  const own = [ownClaims, ownCredits(settings?.initial ?? 0)];
  const { operatorSecret, subscriptionUrl } = settings ?? {};
  // The service keeps the credits of a remote backend, so there is nothing to grant here.
  return operatorSecret === undefined || subscriptionUrl !== undefined ? own : [...own, grant(operatorSecret)];
}
