/**
 * The registry's part of the configuration. A wrong setting stops the surface and is not clamped: running with
 * governance rules that the operator did not write would be worse than not running.
 */
import * as z from "zod";
import {
  type ConfigExamples,
  type ConfigResult,
  flagVariable,
  integerVariable,
  jsonVariable,
  oncePerIsolate,
  parseConfig,
  textVariable,
} from "../../platform/config.ts";
import { databaseVariables } from "../../platform/database/database-size.ts";
import { proxyVariables } from "../../platform/http/client-address.ts";
import { isDid } from "./did.ts";
import { isMaterialField } from "./domain/verification-loss.ts";
import { keyEnvironments, roles, scopes } from "./caller.ts";
import { webhookHost } from "./webhooks/address.ts";

/** Surfaces that can be read without a key, unless the deployment closes them. */
export const openableSurfaces = ["graphql", "did", "card"] as const;
export type OpenableSurface = (typeof openableSurfaces)[number];

/** Basis points, 1/10000. Whole percentages could not express a third. */
const ALL = 10_000;

const did = () => z.string().refine(isDid, { error: "must be a DID" });

/** A key defined in the configuration: any text of 16 characters or more. */
const bootstrapKey = z.strictObject({
  key: z.string().min(16, { error: "needs keys of 16 characters or more" }),
  did: did(),
  role: z.enum(roles).nullable().default(null),
  scopes: z.array(z.enum(scopes)),
});
export type BootstrapKey = z.output<typeof bootstrapKey>;

const variables = z.object({
  ...proxyVariables,
  ...databaseVariables,
  ENVIRONMENT: textVariable().transform((text) => text ?? "production"),
  ADMIN_TOKEN: textVariable().refine((text) => text === undefined || text.length >= 32, {
    error: "must have 32 characters or more",
  }),
  DEV_API_KEY: textVariable(),
  REGISTRY_BOOTSTRAP_KEYS: jsonVariable(
    z.array(bootstrapKey, { error: "must be a list of {key, did, role, scopes}" }),
    [],
  ),
  REGISTRY_KEY_ENVIRONMENT: choiceVariable(keyEnvironments, undefined),
  REGISTRY_PUBLIC_READS: textVariable().transform((text, context): readonly OpenableSurface[] => {
    if (text === undefined) return openableSurfaces;
    if (text === "none") return [];
    const named = z.array(z.enum(openableSurfaces)).safeParse(commaList(text));
    if (named.success) return named.data;
    context.addIssue({ code: "custom", message: `must be none, or a list of ${openableSurfaces.join(", ")}` });
    return z.NEVER;
  }),
  REGISTRY_CORS_ORIGINS: textVariable().transform((text) => commaList(text ?? "")),
  /** The public address of the registry, for links in DID documents. Defaults to the address of the request. */
  REGISTRY_PUBLIC_URL: textVariable()
    .refine((text) => text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
      error: "must be an http or https address",
    })
    .transform((text) => text?.replace(/\/+$/, "")),
  REGISTRY_RELAYER_NODE: textVariable().refine((text) => text === undefined || isDid(text), { error: "must be a DID" }),
  /** Hosts that webhooks may use, in the form of the URL standard. */
  REGISTRY_WEBHOOK_HOSTS: textVariable().transform((text, context): readonly string[] => {
    const hosts = commaList(text ?? "").map(webhookHost);
    if (!hosts.includes(undefined)) return hosts.filter((host) => host !== undefined);
    context.addIssue({ code: "custom", message: "must list hosts, each with its port unless it is the default port" });
    return z.NEVER;
  }),
  /** Members whose change ends a verification, in addition to class, controllers and relayerNode. */
  REGISTRY_MATERIAL_FIELDS: textVariable()
    .transform((text) => commaList(text ?? ""))
    .refine((fields) => fields.every(isMaterialField), {
      error: "must list validFrom, validUntil, lists of the document, or JSON pointers into the metadata",
    }),

  /** Daily quotas (store/quota-store.ts). Keys with registry:admin have no quota. */
  REGISTRY_WEBHOOK_DELIVERY_DAYS: integerVariable(0, 0, 36_500),
  REGISTRY_KEY_BYTES_PER_DAY: integerVariable(268_435_456, 1),
  REGISTRY_OWNER_BYTES_PER_DAY: integerVariable(536_870_912, 1),
  REGISTRY_OWNER_PROPOSALS_PER_DAY: integerVariable(500, 1),
  REGISTRY_DOMAIN_PROPOSALS_PER_DAY: integerVariable(20, 1),

  REGISTRY_READS_PER_MINUTE: integerVariable(600, 1),
  REGISTRY_WRITES_PER_MINUTE: integerVariable(120, 1),
  REGISTRY_PUBLIC_READS_PER_MINUTE: integerVariable(100, 1),
  REGISTRY_FAILED_ATTEMPTS_PER_MINUTE: integerVariable(100, 1),

  REGISTRY_QUORUM_BP: integerVariable(3_340, 0, ALL),
  REGISTRY_THRESHOLD_BP: integerVariable(5_000, 1, ALL),
  REGISTRY_VETO_BP: integerVariable(3_340, 1, ALL),
  /** Seconds: 72 hours, from a minute to 30 days. */
  REGISTRY_VOTING_PERIOD_S: integerVariable(259_200, 60, 2_592_000),
  REGISTRY_ALLOW_REVOTE: flagVariable(false),
  REGISTRY_EXCLUDED_VOTERS: choiceVariable(["none", "proposer", "controllers", "both"], "none"),

  REGISTRY_GRAPHQL_DEFAULT_PAGE: integerVariable(10, 1),
  REGISTRY_GRAPHQL_MAX_PAGE: integerVariable(100, 1),
  /**
   * Rows that the database may read for one request, and for all requests of a caller per minute (lists/row-budget.ts).
   */
  REGISTRY_GRAPHQL_PUBLIC_ROW_COST: integerVariable(2_000_000, 1),
  REGISTRY_GRAPHQL_PUBLIC_ROW_COST_PER_MINUTE: integerVariable(8_000_000, 1),
  REGISTRY_GRAPHQL_KEY_ROW_COST: integerVariable(20_000_000, 1),
  REGISTRY_GRAPHQL_KEY_ROW_COST_PER_MINUTE: integerVariable(100_000_000, 1),
  /** Limit of the whole deployment per second, for reads that scan and for callers without a key. */
  REGISTRY_SCAN_ROW_COST_PER_SECOND: integerVariable(2_000_000, 1),
  REGISTRY_PUBLIC_ROW_COST_PER_SECOND: integerVariable(1_000_000, 1),
  REGISTRY_GRAPHQL_INTROSPECTION: choiceVariable(["on", "off"], "on").transform((choice) => choice === "on"),
});

const examples: ConfigExamples = {
  ADMIN_TOKEN: "what `openssl rand -hex 32` prints",
  REGISTRY_BOOTSTRAP_KEYS:
    '[{"key":"16 characters or more","did":"did:web:partner.example","scopes":["domains:read"]}]',
  REGISTRY_PUBLIC_READS: "graphql,did",
  REGISTRY_PUBLIC_URL: "https://registry.example.org",
  REGISTRY_RELAYER_NODE: "did:ixo:entity:0123abcd",
  REGISTRY_WEBHOOK_HOSTS: "hooks.example.org,hooks.example.org:8443",
  REGISTRY_MATERIAL_FIELDS: "validUntil,/location",
};

const registryConfig = variables.transform((config) => ({
  ...config,
  /** Keys of the other environment are rejected. */
  REGISTRY_KEY_ENVIRONMENT: config.REGISTRY_KEY_ENVIRONMENT ?? (config.ENVIRONMENT === "production" ? "live" : "test"),
}));

export type RegistryConfig = z.output<typeof registryConfig>;

export function parseRegistryConfig(env: object): ConfigResult<RegistryConfig> {
  return parseConfig(registryConfig, env, examples);
}

/** Cached per isolate; read by `/health` and the routes. */
export const readRegistryConfig: (env: object) => ConfigResult<RegistryConfig> = oncePerIsolate(parseRegistryConfig);

function commaList(text: string): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function choiceVariable<const Choices extends readonly string[], Fallback extends Choices[number] | undefined>(
  choices: Choices,
  fallback: Fallback,
) {
  return textVariable().transform((text, context): Choices[number] | Fallback => {
    const choice = text === undefined ? fallback : choices.find((each) => each === text);
    if (choice !== undefined || text === undefined) return choice as Choices[number] | Fallback;
    context.addIssue({ code: "custom", message: `must be one of ${choices.join(", ")}` });
    return z.NEVER;
  });
}
