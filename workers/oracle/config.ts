/**
 * The oracle's part of the configuration, including the models' part. Each problem names the variable to change and
 * says what to set. `runtime.ts` derives the values that depend on a key.
 */
import * as z from "zod";
import { staticDidKeysSchema } from "../../platform/auth/did-resolver.ts";
import { signingSeedSchema } from "../../platform/auth/oracle-signer.ts";
import {
  flagVariable,
  integerVariable,
  jsonVariable,
  oncePerIsolate,
  parseConfig,
  textVariable,
  type ConfigExamples,
  type ConfigProblem,
  type ConfigResult,
} from "../../platform/config.ts";
import { transcriptDays } from "../../platform/transcript-days.ts";
import { failure, success } from "../../platform/result.ts";
import { parseModelConfig, type ModelConfig } from "../../oracle/models/config.ts";

/** Maximum lifetime of an invocation in seconds: a day; deployments that match existing clients set 900. */
const DEFAULT_MAX_TTL_SECONDS = 86_400;
/** Requests per user in a sliding minute: opening one chat in a client costs four or more. */
const DEFAULT_RATE_LIMIT_PER_MINUTE = 120;

/** Limits on one user's storage and spending; 0 switches one off. Enough for daily use, too little to abuse. */
const DEFAULT_SESSIONS_PER_USER = 1_000;
const DEFAULT_MESSAGES_PER_SESSION = 2_000;
const DEFAULT_USER_TURNS_PER_DAY = 500;
const DEFAULT_USER_TOKENS_PER_DAY = 2_000_000;
/** More answers than a person reads at once, over all tabs. */
const DEFAULT_USER_RUNNING_TURNS = 10;

/** Limits of one run: far above a useful answer, and low enough to stop a model that runs in circles. */
const DEFAULT_TURN_MAX_TOKENS = 500_000;
const DEFAULT_TURN_MAX_TOOL_CALLS = 120;
/** Each step sends the whole conversation again: above 64 steps a run costs more than its answer is worth. */
const DEFAULT_MAX_STEPS = 16;
const MOST_STEPS = 64;
const DEFAULT_TURN_TIMEOUT_MS = 600_000;
/** A second identical write is a mistake; a read may be repeated to see what has changed. */
const DEFAULT_TURN_MAX_IDENTICAL_WRITES = 1;
const DEFAULT_TURN_MAX_IDENTICAL_READS = 5;

/**
 * Milliseconds after which a silent client is pinged, and within which it must answer. Each ping wakes the session's
 * object, which is evicted in between.
 */
const DEFAULT_SOCKET_PING_INTERVAL_MS = 180_000;
const DEFAULT_SOCKET_PING_TIMEOUT_MS = 60_000;
/** Shorter intervals would keep the object awake. */
const MIN_SOCKET_PING_MS = 1_000;

/** A shorter token can be guessed over the network. */
const MIN_ADMIN_TOKEN = 32;

const DID = /^did:[a-z0-9]+:[\w.:%-]+$/;

const did = () =>
  textVariable().refine((text) => text === undefined || DID.test(text), { error: "must be a DID such as did:ixo:…" });

/** Comma-separated DIDs. */
const dids = () =>
  textVariable()
    .transform((text) => (text ?? "").split(",").flatMap((each) => each.trim() || []))
    .refine((list) => list.every((each) => DID.test(each)), {
      error: "must be DIDs between commas, such as did:ixo:…",
    });

/**
 * The signing seed of an oracle in development without its own key, so that it starts without settings. It is public,
 * so every other environment refuses it (docs/decisions/011).
 */
export const DEVELOPMENT_SIGNING_SEED = "0de7e10bfe270000".repeat(4);
const DEVELOPMENT_KEY_WARNING =
  "The oracle signs with the public development key; set ORACLE_SIGNING_SEED before you deploy";

const BARE_DELEGATION_WARNING =
  "A delegation alone is enough to sign in, and every service that this oracle invokes for a user receives that user's delegation; set UCAN_ALLOW_BARE_DELEGATION_AUTH=false unless clients sign in with one (docs/security.md)";
const PAID_MODEL_WARNING =
  "A model that costs money answers without a limit on what all users spend in a day; set ORACLE_TOTAL_TOKENS_PER_DAY";

const variables = z.object({
  ENVIRONMENT: textVariable().transform((text) => text ?? "production"),
  ORACLE_NAME: textVariable(),
  ORACLE_DID: did(),
  ORACLE_ENTITY_DID: did(),
  ORACLE_SIGNING_SEED: textVariable().pipe(signingSeedSchema.optional()),
  ORACLE_MNEMONIC: textVariable(),
  UCAN_AUTH_MAX_TTL_SECONDS: integerVariable(DEFAULT_MAX_TTL_SECONDS, 1),
  UCAN_ALLOW_BARE_DELEGATION_AUTH: flagVariable(true),
  ORACLE_ALLOWED_DIDS: dids(),
  UCAN_REAUTH_PROMPT_THROTTLE_SECONDS: integerVariable(0),
  ORACLE_RATE_LIMIT_PER_MINUTE: integerVariable(DEFAULT_RATE_LIMIT_PER_MINUTE, 1),
  ORACLE_SESSIONS_PER_USER: integerVariable(DEFAULT_SESSIONS_PER_USER),
  ORACLE_MESSAGES_PER_SESSION: integerVariable(DEFAULT_MESSAGES_PER_SESSION),
  ORACLE_TRANSCRIPT_DAYS: transcriptDays,
  ORACLE_USER_TURNS_PER_DAY: integerVariable(DEFAULT_USER_TURNS_PER_DAY),
  ORACLE_USER_TOKENS_PER_DAY: integerVariable(DEFAULT_USER_TOKENS_PER_DAY),
  ORACLE_USER_RUNNING_TURNS: integerVariable(DEFAULT_USER_RUNNING_TURNS),
  ORACLE_ADDRESS_TURNS_PER_DAY: integerVariable(0),
  ORACLE_TOTAL_TURNS_PER_DAY: integerVariable(0),
  ORACLE_TOTAL_TOKENS_PER_DAY: integerVariable(0),
  TURN_MAX_TOKENS: integerVariable(DEFAULT_TURN_MAX_TOKENS, 1),
  TURN_MAX_TOOL_CALLS: integerVariable(DEFAULT_TURN_MAX_TOOL_CALLS, 1),
  ORACLE_MAX_STEPS: integerVariable(DEFAULT_MAX_STEPS, 1, MOST_STEPS),
  TURN_TIMEOUT_MS: integerVariable(DEFAULT_TURN_TIMEOUT_MS, 1),
  TURN_MAX_IDENTICAL_WRITES: integerVariable(DEFAULT_TURN_MAX_IDENTICAL_WRITES, 1),
  TURN_MAX_IDENTICAL_READS: integerVariable(DEFAULT_TURN_MAX_IDENTICAL_READS, 1),
  SOCKET_PING_INTERVAL_MS: integerVariable(DEFAULT_SOCKET_PING_INTERVAL_MS, MIN_SOCKET_PING_MS),
  SOCKET_PING_TIMEOUT_MS: integerVariable(DEFAULT_SOCKET_PING_TIMEOUT_MS, MIN_SOCKET_PING_MS),
  STATIC_DID_KEYS: jsonVariable(staticDidKeysSchema, {}),
  BLOCKSYNC_GRAPHQL_URL: httpAddress(),
  PUBLIC_URL: httpAddress(),
  /** Authorises the routes on people, as the registry's ADMIN_TOKEN does. */
  ADMIN_TOKEN: textVariable().refine((text) => text === undefined || text.length >= MIN_ADMIN_TOKEN, {
    error: `must have at least ${MIN_ADMIN_TOKEN} characters`,
  }),
});

export interface OracleConfig extends z.output<typeof variables> {
  readonly models: ModelConfig;
  /** Neither a key nor a DID is set: DEVELOPMENT_SIGNING_SEED is used. */
  readonly usesDevelopmentKey: boolean;
}

const examples: ConfigExamples = {
  ORACLE_DID: "did:ixo:ixo1abc",
  ADMIN_TOKEN: "what `openssl rand -hex 32` prints",
  ORACLE_ENTITY_DID: "did:ixo:entity:0123abcd",
  ORACLE_SIGNING_SEED: "what `openssl rand -hex 32` prints",
  STATIC_DID_KEYS: '{"did:ixo:ixo1abc":["did:key:z6Mk..."]}',
  BLOCKSYNC_GRAPHQL_URL: "https://blocksync.example.org/graphql",
  PUBLIC_URL: "https://oracle.example.org",
};

const MISSING_IDENTITY: ConfigProblem = {
  variable: "ORACLE_SIGNING_SEED",
  message: "set ORACLE_SIGNING_SEED (64 hexadecimal digits) or ORACLE_MNEMONIC, or name the oracle with ORACLE_DID",
};

const PUBLIC_KEY: ConfigProblem = {
  variable: "ORACLE_SIGNING_SEED",
  message: "is the public development key; set your own",
};

function isDevelopmentSeed(seed: string | undefined): boolean {
  return seed?.toLowerCase() === DEVELOPMENT_SIGNING_SEED;
}

export function parseOracleConfig(env: object): ConfigResult<OracleConfig> {
  const own = parseConfig(variables, env, examples);
  const models = parseModelConfig(env);
  const problems = [...(own.ok ? [] : own.error), ...(models.ok ? [] : models.error)];
  const isDevelopment = own.ok && own.value.ENVIRONMENT === "development";
  const usesDevelopmentKey = isDevelopment && !hasIdentity(own.value);
  if (own.ok && !isDevelopment && !hasIdentity(own.value)) problems.push(MISSING_IDENTITY);
  if (own.ok && !isDevelopment && isDevelopmentSeed(own.value.ORACLE_SIGNING_SEED)) problems.push(PUBLIC_KEY);
  if (!own.ok || !models.ok || problems.length > 0) return failure(problems);
  const seed = usesDevelopmentKey ? DEVELOPMENT_SIGNING_SEED : own.value.ORACLE_SIGNING_SEED;
  return success({ ...own.value, ORACLE_SIGNING_SEED: seed, models: models.value, usesDevelopmentKey });
}

/** Cached per isolate; read by `/health`, the routes and the objects. */
export const readOracleConfig: (env: object) => ConfigResult<OracleConfig> = oncePerIsolate(parseOracleConfig);

/** A service with a key, Workers AI, or any model with a price; a service without a key is the operator's own. */
function isPaid({ provider, apiKey, rows }: ModelConfig): boolean {
  if (provider === "workers-ai" || (provider === "openai-compatible" && apiKey !== undefined)) return true;
  return rows.some(({ pricing }) => pricing.inputPerMillion + pricing.outputPerMillion > 0);
}

function hasIdentity(config: z.output<typeof variables>): boolean {
  return (
    config.ORACLE_DID !== undefined || config.ORACLE_SIGNING_SEED !== undefined || config.ORACLE_MNEMONIC !== undefined
  );
}

function httpAddress() {
  return textVariable().refine(
    (text) => text === undefined || ["http:", "https:"].includes(URL.parse(text)?.protocol ?? ""),
    { error: "must be an http or https address" },
  );
}

/** Settings that work but are a risk, for `/health`. */
export function warningsOf(config: OracleConfig): readonly string[] {
  const canMint = config.ORACLE_SIGNING_SEED !== undefined || config.ORACLE_MNEMONIC !== undefined;
  const isDeployed = config.ENVIRONMENT !== "development";
  return [
    ...(config.usesDevelopmentKey ? [DEVELOPMENT_KEY_WARNING] : []),
    ...(isDeployed && canMint && config.UCAN_ALLOW_BARE_DELEGATION_AUTH ? [BARE_DELEGATION_WARNING] : []),
    ...(config.ORACLE_TOTAL_TOKENS_PER_DAY === 0 && isPaid(config.models) ? [PAID_MODEL_WARNING] : []),
  ];
}
