/**
 * The settings of the plugin credits. A wrong setting must not turn the gate off, as it would another plugin: it is reported, and
 * no message is accepted until it is correct.
 */
import * as z from "zod";
import { microOf } from "../../../protocol/credits.ts";
import { OPERATOR_SECRET_LENGTH, SHORT_OPERATOR_SECRET } from "../../framework/plugin-routes.ts";
import { failure, success, type Result } from "../../../platform/result.ts";

export interface CreditSettings {
  /** The subscription service; undefined: only the ledger decides. */
  readonly subscriptionUrl: string | undefined;
  /** Micro-credits of a payer who has no ledger yet. */
  readonly initial: number;
  /** Micro-credits on hold for each turn. */
  readonly hold: number;
  /** At or below this many micro-credits, a message is refused. */
  readonly minimum: number;
  readonly price: PriceSettings;
  /** How long settled rows are kept, milliseconds; undefined keeps them permanently. */
  readonly retentionMs: number | undefined;
  /** Enables the operator's routes; undefined: they do not exist. */
  readonly operatorSecret: string | undefined;
}

export interface PriceSettings {
  readonly creditsPerUsd: number;
  readonly markup: number;
}

const DEFAULT_HOLD = "5";
const DEFAULT_MINIMUM = "10";
/** A credit is a tenth of a cent. */
const DEFAULT_PER_USD = "1000";
const DEFAULT_MARKUP = "1.6";
/** Above this value, amounts of one turn would become inexact. */
const LARGEST = 1_000_000;
/** Days. A turn is reported for 7 days, and must find that it was charged. */
const SHORTEST_RETENTION = 30;
const LONGEST_RETENTION = 36_500;
const DAY_MS = 24 * 3_600_000;

function amount(fallback: string) {
  return z
    .string()
    .optional()
    .transform((text) => (text === undefined || text.trim() === "" ? fallback : text.trim()))
    .refine((text) => /^\d{1,7}(?:\.\d{1,6})?$/.test(text) && Number(text) <= LARGEST, {
      error: `must be a number of 0 to ${LARGEST}, such as ${fallback}`,
    })
    .transform(Number);
}

const variables = z
  .object({
    CREDITS_BACKEND: z.enum(["local", "remote", ""], { error: "must be local or remote" }).optional(),
    SUBSCRIPTION_URL: z
      .string()
      .optional()
      .refine((text) => text === undefined || text === "" || /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
        error: "must be an http or https address",
      }),
    CREDITS_INITIAL: amount("0"),
    CREDITS_HOLD: amount(DEFAULT_HOLD),
    CREDITS_MINIMUM: amount(DEFAULT_MINIMUM),
    CREDITS_PER_USD: amount(DEFAULT_PER_USD),
    CREDITS_MARKUP: amount(DEFAULT_MARKUP),
    CREDITS_RETENTION_DAYS: z
      .string()
      .optional()
      .transform((text) => (text === undefined || text.trim() === "" ? "0" : text.trim()))
      .refine((text) => text === "0" || (/^\d{2,5}$/.test(text) && isRetention(Number(text))), {
        error: `must be 0, which keeps all, or ${SHORTEST_RETENTION} to ${LONGEST_RETENTION} days`,
      })
      .transform(Number),
    CRON_SECRET: z
      .string()
      .refine((text) => text === "" || text.length >= OPERATOR_SECRET_LENGTH, { error: SHORT_OPERATOR_SECRET })
      .optional(),
  })
  .superRefine((env, context) => {
    if (env.CREDITS_BACKEND === "remote" && (env.SUBSCRIPTION_URL ?? "") === "")
      context.addIssue({
        code: "custom",
        path: ["SUBSCRIPTION_URL"],
        message: "must be set with CREDITS_BACKEND=remote",
      });
  });

function isRetention(days: number): boolean {
  return days >= SHORTEST_RETENTION && days <= LONGEST_RETENTION;
}

/** The names of wrong variables with examples of valid values; never the actual values. */
export type CreditConfig = Result<CreditSettings, readonly string[]>;

/** Without the binding, the plugin is off; any other wrong setting is a value. */
export const creditConfig = z
  .looseObject({ CREDIT_LEDGER: z.custom<object>((binding) => typeof binding === "object" && binding !== null) })
  .transform((env): CreditConfig => {
    const parsed = variables.safeParse(env);
    if (!parsed.success)
      return failure(parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`));
    const { data } = parsed;
    return success({
      subscriptionUrl: data.CREDITS_BACKEND === "remote" ? data.SUBSCRIPTION_URL : undefined,
      initial: microOf(data.CREDITS_INITIAL),
      hold: microOf(data.CREDITS_HOLD),
      minimum: microOf(data.CREDITS_MINIMUM),
      price: { creditsPerUsd: data.CREDITS_PER_USD, markup: data.CREDITS_MARKUP },
      retentionMs: data.CREDITS_RETENTION_DAYS === 0 ? undefined : data.CREDITS_RETENTION_DAYS * DAY_MS,
      operatorSecret: data.CRON_SECRET === undefined || data.CRON_SECRET === "" ? undefined : data.CRON_SECRET,
    });
  });
