/** The gateway's variables (PH-93). Each problem names the variable and a valid value, never the current one. */
import * as z from "zod";
import {
  flagVariable,
  integerVariable,
  jsonVariable,
  oncePerIsolate,
  parseConfig,
  textVariable,
  type ConfigExamples,
  type ConfigResult,
} from "../../platform/config.ts";
import { proxyVariables } from "../../platform/http/client-address.ts";
import { parseAddressList, type AddressRange } from "./address-list.ts";
import { MIN_KEY_CHARACTERS } from "./key-ring.ts";

export const SERVICE_CODE = /^\*\d+(?:\*\d+)*#$/;

/** Characters: the longest name that fits on every screen in every language. */
const MAX_APP_NAME = 20;
/** Minimum characters: a shorter token can be guessed over the network. */
const MIN_OPERATOR_TOKEN = 24;
/** Milliseconds: gateways hang up after 5 to 15 s. */
const MAX_BUDGET = 9_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** Days: a record that a customer disputes a month later must still exist. */
const MIN_RECORD_DAYS = 30;
/** Days after which a number no longer belongs to its accounts (PH-127). */
const MIN_PHONE_DAYS = 180;
/** Days of one response of the statistics. */
const MIN_STATISTICS_DAYS = 31;
const MAX_RETENTION_DAYS = 36_500;

/** As a caller dials it: a number with its country code, a local number or a short code. */
const SUPPORT_PHONE = /^\+?\d{3,15}$/;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
/** Characters that need no encoding in a path. */
const PATH_SECRET = /^[A-Za-z0-9._~-]{16,200}$/;

const keyText = z
  .string()
  .min(MIN_KEY_CHARACTERS, { error: `each key must have at least ${MIN_KEY_CHARACTERS} characters` });

const variables = z
  .object({
    ...proxyVariables,
    /** `development` opens the debug routes; unset is production. */
    ENVIRONMENT: textVariable().transform((text) => text ?? "production"),

    PIN_ENCRYPTION_KEY: z
      .string({ error: "must be set: 64 hexadecimal digits, 43 base64 characters, or any text of 16 or more" })
      .min(MIN_KEY_CHARACTERS, { error: `must have at least ${MIN_KEY_CHARACTERS} characters` }),
    PIN_ENCRYPTION_KEY_ID: textVariable()
      .transform((text) => text ?? "k1")
      .pipe(z.string().regex(KEY_ID, { error: "must be 1 to 32 letters, digits, - or _" })),
    PIN_ENCRYPTION_KEYS_OLD: jsonVariable(
      z.record(z.string().regex(KEY_ID), keyText, { error: "must map each old key's id to the key" }),
      {},
    ),

    APP_NAME: textVariable()
      .transform((text) => text ?? "Digital Services")
      .pipe(z.string().max(MAX_APP_NAME, { error: `must have at most ${MAX_APP_NAME} characters` })),
    SUPPORT_PHONE: textVariable().pipe(
      z.string().regex(SUPPORT_PHONE, { error: "must be 3 to 15 digits, with or without +" }).optional(),
    ),
    USSD_OPERATOR_TOKEN: textVariable().pipe(
      z
        .string()
        .min(MIN_OPERATOR_TOKEN, { error: `must have at least ${MIN_OPERATOR_TOKEN} characters` })
        .optional(),
    ),
    USSD_DEBUG_MASK: flagVariable(false),

    USSD_SESSION_TTL_SECONDS: integerVariable(180, 30, HOUR_SECONDS),
    USSD_RESUME_WINDOW_SECONDS: integerVariable(900, 0, DAY_SECONDS),
    USSD_TEXT_MODE: oneOf(["auto", "cumulative", "latest"], "auto"),
    USSD_TEXT_MODES: textModes(),
    USSD_REPLAY_WINDOW_MS: integerVariable(3_000, 0, MINUTE_SECONDS * 1_000),
    USSD_DIRECT_DIAL: flagVariable(true),
    USSD_SERVICE_CODES: serviceCodes(),
    USSD_PHONE_PLUS_OPTIONAL: flagVariable(false),

    USSD_REPLY_BUDGET_MS: integerVariable(4_000, 0, MAX_BUDGET),
    USSD_ORACLE_BUDGET_MS: integerVariable(7_000, 0, MAX_BUDGET),
    USSD_ORACLE_MAX_PAGES: integerVariable(4, 1, 20),
    USSD_ORACLE_DAILY_LIMIT: integerVariable(20, 0, 10_000),

    USSD_SCREEN_SEPTETS: integerVariable(160, 100, 182),
    USSD_COUNT_PREFIX: flagVariable(true),
    USSD_DEFAULT_LANGUAGE: oneOf(["en", "sw", "fr", "pt"], "en"),

    USSD_PIN_MAX_ATTEMPTS: integerVariable(3, 1, 10),
    USSD_PIN_LOCK_SECONDS: integerVariable(900, 1, DAY_SECONDS),
    USSD_TEMP_PIN_SECONDS: integerVariable(1_800, MINUTE_SECONDS, DAY_SECONDS),
    USSD_MAX_ACCOUNTS_PER_PHONE: integerVariable(5, 1, 100),

    USSD_RECORD_DAYS: retentionDays(MIN_RECORD_DAYS),
    USSD_PHONE_DAYS: retentionDays(MIN_PHONE_DAYS),
    USSD_STATISTICS_DAYS: retentionDays(MIN_STATISTICS_DAYS),

    USSD_RATE_LIMIT_PER_MINUTE: integerVariable(100, 1, 1_000_000),
    USSD_PHONE_RATE_PER_MINUTE: integerVariable(0, 0, 1_000_000),
    USSD_GATEWAY_IPS: addressList(),
    USSD_GATEWAY_RATE_PER_MINUTE: integerVariable(6_000, 0, 1_000_000),
    USSD_PATH_SECRET: textVariable().pipe(
      z.string().regex(PATH_SECRET, { error: "must be 16 to 200 letters, digits, . _ ~ or -" }).optional(),
    ),
    USSD_ALLOWED_IPS: addressList(),

    AFRICAS_TALKING_USERNAME: textVariable(),
    AFRICAS_TALKING_API_KEY: textVariable(),
    AFRICAS_TALKING_SENDER_ID: textVariable(),
    /** Replaces the provider's own address, for a proxy or a test. */
    AFRICAS_TALKING_URL: textVariable().refine(
      (text) => text === undefined || ["http:", "https:"].includes(URL.parse(text)?.protocol ?? ""),
      { error: "must be an http or https address" },
    ),

    LOG_LEVEL: oneOf(["debug", "info", "warn", "error"], "info"),
  })
  .refine((config) => !Object.hasOwn(config.PIN_ENCRYPTION_KEYS_OLD, config.PIN_ENCRYPTION_KEY_ID), {
    path: ["PIN_ENCRYPTION_KEYS_OLD"],
    error: "must not contain the current key's id",
  })
  .refine(
    (config) => (config.AFRICAS_TALKING_USERNAME === undefined) === (config.AFRICAS_TALKING_API_KEY === undefined),
    {
      path: ["AFRICAS_TALKING_API_KEY"],
      error: "must be set together with AFRICAS_TALKING_USERNAME; set both or neither",
    },
  );

const examples: ConfigExamples = {
  PIN_ENCRYPTION_KEY: "what `openssl rand -hex 32` prints",
  PIN_ENCRYPTION_KEY_ID: "k2",
  PIN_ENCRYPTION_KEYS_OLD: '{"k1":"the key that had the id k1"}',
  APP_NAME: "Clean Cooking",
  SUPPORT_PHONE: "+260971230000",
  USSD_OPERATOR_TOKEN: "what `openssl rand -hex 32` prints",
  USSD_TEXT_MODES: '{"*2233#":"latest","192.0.2.0/24":"cumulative"}',
  USSD_SERVICE_CODES: "*2233#,*384*21#",
  USSD_GATEWAY_IPS: "192.0.2.7,198.51.100.0/24",
  USSD_ALLOWED_IPS: "192.0.2.7,198.51.100.0/24",
  USSD_PATH_SECRET: "what `openssl rand -hex 32` prints",
  AFRICAS_TALKING_URL: "https://sms-proxy.example.org",
};

export type UssdConfig = z.output<typeof variables>;

export function parseUssdConfig(env: object): ConfigResult<UssdConfig> {
  return parseConfig(variables, env, examples);
}

/** Cached per isolate. */
export const readUssdConfig: (env: object) => ConfigResult<UssdConfig> = oncePerIsolate(parseUssdConfig);

function oneOf<const Choice extends string>(choices: readonly [Choice, ...Choice[]], fallback: Choice) {
  return textVariable()
    .transform((text) => text ?? fallback)
    .pipe(z.enum(choices, { error: `must be one of ${choices.join(", ")}` }));
}

/** Days to keep data; 0 keeps it forever. */
function retentionDays(minimum: number) {
  return integerVariable(0, 0, MAX_RETENTION_DAYS).refine((days) => days === 0 || days >= minimum, {
    error: `must be 0 or at least ${minimum}, such as 365`,
  });
}

/** Codes separated by commas or blanks; an empty list serves every code. */
function serviceCodes() {
  return textVariable()
    .transform((text) => (text ?? "").split(/[\s,]+/).filter((code) => code !== ""))
    .pipe(z.array(z.string().regex(SERVICE_CODE, { error: "must list codes such as *2233#" })));
}

/** The text mode of single gateways, by the code that they serve, or by their address. */
export interface GatewayTextMode {
  readonly serviceCode?: string;
  readonly addresses?: readonly AddressRange[];
  readonly mode: "cumulative" | "latest";
}

function textModes() {
  const modes = z.record(z.string(), z.enum(["cumulative", "latest"]), {
    error: "must map service codes or addresses to cumulative or latest",
  });
  return jsonVariable(modes, {}).transform((given, context) =>
    Object.entries(given).map(([gateway, mode]): GatewayTextMode => {
      if (SERVICE_CODE.test(gateway)) return { serviceCode: gateway, mode };
      const addresses = parseAddressList(gateway);
      if (addresses !== undefined && addresses.length > 0) return { addresses, mode };
      context.addIssue({ code: "custom", message: "must name gateways by a service code, an address or a CIDR range" });
      return z.NEVER;
    }),
  );
}

/** Addresses and ranges separated by commas or blanks. */
function addressList() {
  return textVariable().transform((text, context) => {
    const ranges = parseAddressList(text ?? "");
    if (ranges !== undefined) return ranges;
    context.addIssue({ code: "custom", message: "must list IP addresses or CIDR ranges" });
    return z.NEVER;
  });
}
