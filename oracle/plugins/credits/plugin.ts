/**
 * The plugin credits: a message is accepted while its payer has credits, which are on hold until the turn has ended and is charged
 * for its models' usage. Off unless CREDITS_ENABLED or `features.credits` is true.
 */
import { databaseOf } from "../../../platform/database/database-of.ts";
import { creditsOf } from "../../../protocol/credits.ts";
import { refuse, admit, type RequestAdmission } from "../../framework/admission.ts";
import type { EndedTurnContext, SessionTitle, ModelUsage } from "../../framework/ended-turn.ts";
import type { RequestContext } from "../../framework/context.ts";
import { defineOraclePlugin } from "../../framework/plugin.ts";
import type { HoldAnswer } from "./ledger-rpc.ts";
import {
  anonymiseClaims,
  claimPage,
  openClaim,
  payersOfClaims,
  removeOldClaims,
  unpaidClaims,
} from "./claims-table.ts";
import { costOf, isUnpriced } from "./cost.ts";
import { creditRoutes } from "./routes.ts";
import { creditConfig, type CreditConfig, type CreditSettings } from "./settings.ts";
import { createSubscriptions, NO_SUBSCRIPTION } from "./subscription.ts";
import { coverTurn } from "./turn-cover.ts";

/** How many models without a price the log names, each once per isolate. */
const NAMED_MODELS = 100;

/** Claims per page of a copy. */
const EXPORTED_CLAIMS = 100;

const readReport = createSubscriptions({ fetch: (url, init) => fetch(url, init), now: () => Date.now() });
const unpriced = new Set<string>();

export const credits = defineOraclePlugin<CreditConfig>({
  name: "credits",
  version: "1.0.0",
  manifest: {
    title: "Credits",
    summary: "A message is answered while its sender has credits.",
    whenToUse: [],
    visibility: "silent",
    category: "core",
  },
  requires: ["database"],
  configSchema: creditConfig,
  isWanted: (env) => "CREDITS_ENABLED" in env && env.CREDITS_ENABLED === "true",
  autoDetectHint: "CREDITS_ENABLED",

  async getRequestAdmission(ctx) {
    const { config, env, user, session, logger } = ctx;
    if (!config.ok) {
      logger.error("credits-misconfigured", { variables: config.error });
      return refuse("unavailable", "This oracle cannot take messages right now. Please try again later.");
    }
    const { subscriptionUrl, hold: amount, minimum, initial } = config.value;
    const report = subscriptionUrl === undefined ? undefined : await readReport(ctx, subscriptionUrl);
    if (report?.ok === false) return paymentRequired(ctx, report.error);
    const answer = await env.CREDIT_LEDGER.getByName(user.payer).hold({
      runId: session.runId,
      amount,
      minimum,
      initial,
      ...(report === undefined ? {} : { report: report.value }),
    });
    return answer.held ? admit() : refusalOf(ctx, answer.reason, config.value);
  },

  getMiddlewares({ config, env, user, session, modelOf, estimateTokens }) {
    if (!config.ok) throw new Error("the settings of credits are wrong");
    const { hold, price } = config.value;
    return [
      coverTurn({
        held: hold,
        cover: (least, most) => env.CREDIT_LEDGER.getByName(user.payer).cover(session.runId, least, most),
        costOf: (usage) => costOf([usage], (id) => modelOf(id).pricing, price),
        modelOf: (id) => modelOf(id).id,
        promptTokens: estimateTokens,
      }),
    ];
  },

  afterTurn: settle,

  async coversTitle({ runId, usage }, { config, env, user, modelOf }) {
    if (!config.ok) return false;
    const most = costOf(usage, (id) => modelOf(id).pricing, config.value.price);
    return (await env.CREDIT_LEDGER.getByName(user.payer).cover(runId, most)).covered;
  },

  afterTitle: settle,

  async onSchedule({ config, env, scheduledTime }) {
    if (!config.ok || config.value.retentionMs === undefined) return;
    await removeOldClaims(databaseOf(env), new Date(scheduledTime - config.value.retentionMs).toISOString());
  },

  async userErased(did, { env }) {
    const open = await anonymiseClaims(databaseOf(env), did);
    return [
      { what: "your credit ledger: balance, holds and charges by run", why: "accounting; it contains no text" },
      ...(open === 0 ? [] : [{ what: `usage claims that are not settled: ${open}`, why: "they must still be billed" }]),
    ];
  },

  storedUsers: (after, { env }) => payersOfClaims(databaseOf(env), after),

  async *exportUser(did, { env, config }) {
    const initial = config.ok ? config.value.initial : 0;
    const { balance, held } = await env.CREDIT_LEDGER.getByName(did).summary(initial);
    yield { balance: creditsOf(balance), held: creditsOf(held) };
    let cursor: string | undefined;
    do {
      const page = await claimPage(databaseOf(env), did, { limit: EXPORTED_CLAIMS, cursor });
      for (const { id, amount, status, createdAt } of page?.claims ?? []) yield { id, amount, status, createdAt };
      cursor = page?.next;
    } while (cursor !== undefined);
  },

  getHealth({ config }) {
    if (!config.ok) return { ready: false, problems: config.error };
    return { ready: true, backend: config.value.subscriptionUrl === undefined ? "local" : "remote" };
  },

  getRoutes: ({ config }) => creditRoutes(config.ok ? config.value : undefined),
});

/** Charges the cost of a turn or a title, and opens its claim; idempotent. */
async function settle({ runId, usage, endedAt }: SessionTitle, ctx: EndedTurnContext<CreditConfig>): Promise<void> {
  const { config, env, user } = ctx;
  // Thrown, so that the call is retried once the settings are correct.
  if (!config.ok) throw new Error("the settings of credits are wrong");
  nameUnpriced(usage, ctx);
  const { price, retentionMs } = config.value;
  const cost = costOf(usage, (id) => ctx.modelOf(id).pricing, price);
  const { charged, repeated } = await env.CREDIT_LEDGER.getByName(user.payer).settle(runId, cost, retentionMs);
  // The ledger keeps both amounts: the difference can be claimed manually.
  if (charged < cost && !repeated) ctx.logger.warn("credits-shortfall", { runId, cost, charged });
  if (usage.every(({ inputTokens, outputTokens }) => inputTokens + outputTokens === 0)) return;
  await openClaim(databaseOf(env), { payer: user.payer, runId, amount: charged, createdAt: endedAt });
}

function refusalOf(
  ctx: RequestContext<CreditConfig>,
  reason: Extract<HoldAnswer, { held: false }>["reason"],
  { minimum, hold }: CreditSettings,
): Promise<RequestAdmission> | RequestAdmission {
  if (reason === "ended") {
    return refuse("conflict", "This message was cancelled before it was processed. Please send it again.", {
      reason: "message_already_answered",
      retryable: false,
    });
  }
  if (reason === "unknown") return paymentRequired(ctx, NO_SUBSCRIPTION);
  return paymentRequired(
    ctx,
    minimum >= hold ? `${creditsOf(minimum)} credits or fewer left` : `Fewer than ${creditsOf(hold)} credits left`,
  );
}

/** Clients read either of the two lists. */
async function paymentRequired({ env, user }: RequestContext, message: string): Promise<RequestAdmission> {
  const claims = await unpaidClaims(databaseOf(env), user.payer);
  return refuse("payment_required", message, { retryable: false, members: { claims, outstandingClaims: claims } });
}

/** A model without a price is reported once, not in every turn. */
function nameUnpriced(usage: readonly ModelUsage[], { modelOf, logger }: EndedTurnContext<CreditConfig>): void {
  for (const { model } of usage) {
    if (unpriced.size >= NAMED_MODELS || unpriced.has(model) || !isUnpriced(modelOf(model).pricing)) continue;
    unpriced.add(model);
    logger.warn("model-unpriced", { plugin: "credits", model });
  }
}
