/**
 * The settings of one chain profile, as a schema with its defaults. Unknown members are refused: a misspelt limit would
 * otherwise have no effect.
 */
import * as z from "zod";
import { defaultLimits } from "../transcoding/limits.ts";

const SECRET = /^secret:([A-Za-z_][A-Za-z0-9_]*)$/;

/** `secret:NAME` becomes the name of a binding. */
const secret = z.string().transform((text, context) => {
  const name = SECRET.exec(text)?.[1];
  if (name !== undefined) return name;
  context.addIssue({
    code: "custom",
    message: "must be secret:NAME, where the variable NAME contains the secret itself",
  });
  return z.NEVER;
});

const whole = (fallback: number, minimum: number) =>
  z
    .int({ error: "must be a whole number" })
    .min(minimum, { error: `must be at least ${minimum}` })
    .default(fallback);
/** The maximum delay of a timer, which fires at once beyond it. Milliseconds, about 24 days. */
const LONGEST_TIMER = 2_147_483_647;
const milliseconds = (minimum: number) =>
  z
    .int({ error: "must be a whole number" })
    .min(minimum, { error: `must be at least ${minimum}` })
    .max(LONGEST_TIMER, { error: `must be at most ${LONGEST_TIMER}` });
const path = z.string().regex(/^\//, { error: "must start with a slash, such as /chain" });
/** `rest/ixo`: segments without surrounding slashes. */
const prefix = z.string().regex(/^[^/?#\s]+(?:\/[^/?#\s]+)*$/, {
  error: "must be segments without slashes around them, such as ixo or rest/ixo",
});

/** How long responses at a final height can be cached, in seconds: a year, the maximum of caches. */
const YEAR = 31_536_000;

/** Requests of one address: twenty a second, more than the pages and wallets behind one address need. */
export const USUAL_RATE_PER_MINUTE = 1200;

const nodeUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
    error: "must be an http or https address, such as https://node.example:1317",
  })
  .refine((text) => !/[?#]/.test(text) && URL.parse(text)?.username === "", {
    error: "must have no query, fragment or credentials",
  })
  .transform((text) => text.replace(/\/+$/, ""));

const nodeShape = {
  name: z.string().min(1).optional(),
  tier: whole(0, 0),
  weight: z.number({ error: "must be a number" }).positive({ error: "must be above 0" }).default(1),
  timeoutMs: milliseconds(1).optional(),
  earliestHeight: z
    .int({ error: "must be a whole number" })
    .min(0)
    .transform((height) => BigInt(height))
    .optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), secret).default({}),
};
const nodeSchema = z.discriminatedUnion("kind", [
  z.strictObject({ ...nodeShape, kind: z.literal("embedded"), url: z.literal("").default("") }),
  z.strictObject({ ...nodeShape, kind: z.enum(["grpc-web", "lcd", "abci-query"]), url: nodeUrl }),
]);

const gateKey = z.strictObject({
  secret,
  label: z.string().min(1),
  /** Paths that it opens, `*` for any text; all if absent. */
  allow: z.array(path).optional(),
});
const gateSchema = z.discriminatedUnion("mode", [
  z.strictObject({ mode: z.literal("none") }),
  z.strictObject({
    mode: z.enum(["bearer", "apiKey", "basic"]),
    keys: z.array(gateKey).min(1, { error: "needs a key" }),
    open: z.array(path).default([]),
  }),
]);

const aliasSchema = z.strictObject({
  path,
  method: z.string().regex(/^[\w.]+\/\w+$/, { error: "must be package.Service/Method" }),
  params: z.record(z.string(), z.string()).default({}),
  deprecated: z.boolean().default(false),
});

/** Means every origin. */
export const ANY_ORIGIN = "*";

const origin = z.string().refine((text) => text === ANY_ORIGIN || URL.parse(text)?.origin === text, {
  error: "must be an origin, such as https://app.example, or * for every origin",
});

/** The default is the schema's result for an empty object. */
const group = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never);

const limits = group({
  pathBytes: whole(defaultLimits.pathBytes, 1),
  segments: whole(defaultLimits.segments, 1),
  segmentBytes: whole(defaultLimits.segmentBytes, 1),
  queryParams: whole(defaultLimits.queryParams, 0),
  bodyBytes: whole(1_000_000, 0),
  responseBytes: whole(10_485_760, 1),
  pageLimit: whole(defaultLimits.pageLimit, 1),
  timeoutMs: milliseconds(1).default(10_000),
  nesting: whole(defaultLimits.nesting, 1),
});

export const matchSchema = group({
  host: z.string().toLowerCase().optional(),
  mount: path.regex(/[^/]$/, { error: "must not end with a slash" }).optional(),
});

export const deploymentSchema = z.strictObject({
  name: z.string().min(1),
  match: matchSchema,
  chainId: z.string().default(""),
  protocolPrefix: prefix.default("ixo"),
  legacyPrefixes: z.array(prefix).default([]),
  aliases: group({ legacyIxo: z.boolean().default(true), extra: z.array(aliasSchema).default([]) }),
  sets: z.array(z.string()).min(1, { error: "needs a set" }).default(["ixo"]),
  nodes: z
    .array(nodeSchema)
    .min(1, { error: "needs a node" })
    .prefault([{ kind: "embedded" }]),
  disabled: z.array(z.string()).default([]),
  enabled: z.array(z.string()).default([]),
  gate: gateSchema.default({ mode: "none" }),
  cors: z
    .strictObject({ origins: z.array(origin), credentials: z.boolean().default(false), maxAge: whole(600, 0) })
    .refine(({ origins, credentials }) => !(credentials && origins.includes(ANY_ORIGIN)), {
      path: ["credentials"],
      error: "must be false where origins has *, since browsers refuse both together; or list the origins",
    })
    .optional(),
  cache: group({
    latestSeconds: whole(0, 0),
    staleWhileRevalidateSeconds: whole(0, 0),
    staleIfErrorSeconds: whole(0, 0),
    immutableDepth: whole(2, 0),
    immutableSeconds: whole(YEAR, 0),
  }),
  limits,
  /** Absent: the default rate, outside development. */
  rate: z
    .union(
      [
        z.literal("off"),
        z.strictObject({
          perMinute: z.int().min(1).default(USUAL_RATE_PER_MINUTE),
          burst: z.int().min(1).optional(),
          by: z.enum(["ip", "key"]).default("ip"),
        }),
      ],
      { error: 'must be "off" or like {"perMinute": 1200, "by": "ip"}' },
    )
    .optional(),
  upstream: group({
    retries: whole(2, 0),
    hedgeAfterMs: milliseconds(0).default(0),
    breaker: group({ failures: whole(5, 1), windowMs: whole(30_000, 1), openMs: whole(15_000, 1) }),
    maxLag: whole(20, 0),
    /** Methods with side effects, called on one node only. */
    once: z.array(z.string()).default([]),
  }),
  /**
   * CometBFT's JSON-RPC, below the prefix. With a gate it is off unless it is switched on, because one path leads to
   * every method. `broadcast`: accepts transactions too.
   */
  rpc: group({ enabled: z.boolean().optional(), broadcast: z.boolean().default(false) }),
  query: group({ strict: z.boolean().default(false), heightParam: z.boolean().default(false) }),
  embedded: group({ relayerNode: z.string().default(""), seed: z.string().min(1).optional() }),
  json: group({
    notFoundCodes: z.boolean().default(false),
    unknownAny: z.enum(["value", "error"]).default("value"),
  }),
});

export type DeploymentSettings = z.output<typeof deploymentSchema>;

/**
 * Where an operator's own descriptor set is stored: an object of R2, a value of KV, or a binding that contains the
 * bytes.
 */
export const imageSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["r2", "kv"]), binding: z.string().min(1), key: z.string().min(1) }),
  z.strictObject({ kind: z.literal("data"), binding: z.string().min(1) }),
]);

export type ImageSource = z.output<typeof imageSchema>;
