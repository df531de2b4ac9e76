/**
 * The plugin claims: sends the cost of turns to the billing service, every minute and on an operator's request. On when CRON_SECRET
 * is set and credits are on.
 */
import { databaseOf } from "../../../platform/database/database-of.ts";
import * as z from "zod";
import type { OutsideContext } from "../../framework/context.ts";
import { defineOraclePlugin } from "../../framework/plugin.ts";
import { route } from "../../framework/plugin-routes.ts";
import { sendBatch, type BatchOutcome } from "./batch.ts";
import { createDeliveryTable, type DueClaim } from "./delivery-table.ts";
import { grantCredits, readOrders } from "./orders.ts";
import { createSender } from "./sender.ts";
import { claimsConfig, type ClaimsConfig } from "./settings.ts";

type Context = Pick<OutsideContext<ClaimsConfig>, "env" | "config" | "logger">;

function sendDue({ env, config, logger }: Context): Promise<BatchOutcome> {
  const { CLAIMS_URL: url, CLAIMS_TOKEN: token } = config;
  return sendBatch({
    table: createDeliveryTable(databaseOf(env)),
    send: url === undefined ? undefined : createSender({ url, token, fetch: (to, init) => fetch(to, init) }),
    reported: (claims, at) => reported(env, claims, at),
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    log: logger,
  });
}

/** Makes one call per payer. */
async function reported(env: Env, claims: readonly Pick<DueClaim, "payer" | "run_id">[], at: number): Promise<void> {
  const runsOf = Map.groupBy(claims, ({ payer }) => payer);
  await Promise.all(
    Array.from(runsOf, ([payer, own]) =>
      env.CREDIT_LEDGER.getByName(payer).markReported(
        own.map(({ run_id }) => run_id),
        at,
      ),
    ),
  );
}

const outcomeSchema = z.object({
  processed: z.int().meta({ description: "Claims that are submitted now." }),
  failed: z.int().meta({ description: "Claims that are tried again later." }),
  remaining: z.int().meta({ description: "Open claims that remain, not counting dead letters." }),
});

const processClaims = (config: ClaimsConfig) =>
  route({
    method: "post",
    path: "/cron/claims",
    id: "processClaims",
    summary: "Send claims",
    description:
      "For operators: `Authorization: Bearer <CRON_SECRET>`. The body is optional: `settled` and `retry` are lists of at most 100 ids, `credits` is `{did, amount, key}`.",
    tag: "Claims",
    operatorSecret: config.CRON_SECRET,
    responses: {
      200: {
        description: "The result of the batch",
        schema: outcomeSchema,
        example: { processed: 3, failed: 0, remaining: 0 },
      },
    },
    async handler(request, { env, logger }) {
      const orders = await readOrders(request);
      if (!orders.ok) return orders;
      const { settled = [], retry = [], credits } = orders.value;
      if (credits !== undefined) {
        const granted = await grantCredits(env, credits, config.CREDITS_BACKEND === "remote", logger);
        if (!granted.ok) return granted;
      }
      const table = createDeliveryTable(databaseOf(env));
      if (settled.length > 0) await reported(env, await table.settle(settled), Date.now());
      if (retry.length > 0) await table.retry(retry);
      return Response.json(await sendDue({ env, config, logger }));
    },
  });

const listDeadClaims = (config: ClaimsConfig) =>
  route({
    method: "get",
    path: "/cron/claims",
    id: "listDeadClaims",
    summary: "List claims that could not be sent",
    description: "For operators: `Authorization: Bearer <CRON_SECRET>`. The newest 100; `retry` sends them again.",
    tag: "Claims",
    operatorSecret: config.CRON_SECRET,
    responses: {
      200: {
        description: "With the reason why the last attempt failed",
        schema: z.object({ dead: z.array(z.object({ id: z.string(), reason: z.string().nullable() })) }),
      },
    },
    async handler(_request, { env }) {
      return Response.json({ dead: await createDeliveryTable(databaseOf(env)).dead() });
    },
  });

export const claims = defineOraclePlugin<ClaimsConfig>({
  name: "claims",
  version: "1.0.0",
  manifest: {
    title: "Claims",
    summary: "Reports the cost of turns to a billing service.",
    whenToUse: [],
    visibility: "silent",
    category: "automation",
  },
  dependsOn: ["credits"],
  isWanted: (env) => "CRON_SECRET" in env && env.CRON_SECRET !== "",
  requires: ["database"],
  configSchema: claimsConfig,

  async onSchedule(ctx) {
    await sendDue(ctx);
  },

  getHealth: ({ config }) => ({ sends: config.CLAIMS_URL !== undefined }),

  getRoutes: ({ config }) => [processClaims(config), listDeadClaims(config)],
});
