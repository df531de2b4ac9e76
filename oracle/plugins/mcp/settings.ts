/**
 * The operator's settings: `MCP_SERVERS`, `UCAN_PROTECTED_MCP_SERVERS` and `MCP_OPERATOR_TOKEN`, parsed once. An error turns the
 * plugin off; the reason names a member, never a value, since headers contain secrets.
 */
import * as z from "zod";
import { OPERATOR_SECRET_LENGTH, SHORT_OPERATOR_SECRET } from "../../framework/plugin-routes.ts";

/** Maximum number of offered tools per server: each costs tokens in every model request. */
export const MAX_TOOLS = 128;

/** Kept low, because each server is contacted at the start of a turn when its list is old. */
export const MAX_SERVERS = 16;
/** Maximum characters of a name, which leaves most of the 64 of a tool's name for the tool. */
export const MAX_SERVER_NAME_LENGTH = 32;

/** Maximum characters of a tool's name at its server. */
const MAX_TOOL_NAME_LENGTH = 512;

export interface McpServer {
  /** Unique; the model calls `<name>__<tool>`. */
  readonly name: string;
  readonly url: string;
  /** Sent with every request. They contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: "none" | "oauth" | "ucan";
  /** A changed tool stays off for everyone until an operator accepts it. */
  readonly pin: boolean;
  /** Which of its tools need the user's approval: none, those that may write, or all. */
  readonly approval: "never" | "writes" | "always";
  /** The operator trusts the server's annotations of its tools: `readOnlyHint` and `idempotentHint`. */
  readonly trusted: boolean;
  /** After a sign-in, the user types the code of the last page into their chat. */
  readonly confirmSignIn: boolean;
  /** Its read-only tools, as the operator knows them. */
  readonly readOnlyTools: readonly string[];
}

export interface McpSettings {
  readonly servers: readonly McpServer[];
  /** Enables `/mcp/pins`; without it, the route does not exist. */
  readonly operatorToken: string | undefined;
}

/** Hosts that plain HTTP may reach: this machine, in development. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/, "is not a header name");
const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,4096}$/, "is not a header value");

const declaredServer = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9-]+$/, "must be lower-case letters, digits and dashes")
    .max(MAX_SERVER_NAME_LENGTH),
  url: z.string(),
  headers: z.record(headerName, headerValue).default({}),
  auth: z.enum(["none", "oauth", "ucan"]).optional(),
  pin: z.boolean().default(false),
  approval: z.enum(["never", "writes", "always"]).default("writes"),
  trusted: z.boolean().default(false),
  confirmSignIn: z.boolean().default(false),
  readOnlyTools: z.array(z.string().max(MAX_TOOL_NAME_LENGTH)).max(MAX_TOOLS).default([]),
});

const variables = z.object({
  MCP_SERVERS: z.string(),
  UCAN_PROTECTED_MCP_SERVERS: z.string().optional(),
  MCP_OPERATOR_TOKEN: z
    .string()
    .refine((text) => text === "" || text.length >= OPERATOR_SECRET_LENGTH, { error: SHORT_OPERATOR_SECRET })
    .optional(),
  ENVIRONMENT: z.string().optional(),
});

export const mcpSettings: z.ZodType<McpSettings> = variables.transform((env, context): McpSettings => {
  const refuse = (variable: keyof typeof env, message: string): never => {
    context.addIssue({ code: "custom", path: [variable], message });
    return z.NEVER;
  };
  const declared = z.array(declaredServer).min(1).max(MAX_SERVERS).safeParse(jsonOf(env.MCP_SERVERS));
  if (!declared.success) return refuse("MCP_SERVERS", z.prettifyError(declared.error));
  const names = declared.data.map(({ name }) => name);
  if (new Set(names).size < names.length) return refuse("MCP_SERVERS", "two servers have the same name");
  const guarded = namesIn(env.UCAN_PROTECTED_MCP_SERVERS);
  const unknown = guarded.find((name) => !names.includes(name));
  if (unknown !== undefined)
    return refuse("UCAN_PROTECTED_MCP_SERVERS", "names a server that MCP_SERVERS does not have");
  const isDevelopment = env.ENVIRONMENT === "development";
  const servers: McpServer[] = [];
  for (const { auth, ...server } of declared.data) {
    const problem = problemOf(server.url, isDevelopment);
    if (problem !== undefined) return refuse("MCP_SERVERS", `the url of ${server.name} ${problem}`);
    const isGuarded = guarded.includes(server.name);
    if (isGuarded && auth !== undefined && auth !== "ucan")
      return refuse("UCAN_PROTECTED_MCP_SERVERS", `${server.name} has a different auth in MCP_SERVERS`);
    servers.push({ ...server, auth: isGuarded ? "ucan" : (auth ?? "none") });
  }
  return { servers, operatorToken: env.MCP_OPERATOR_TOKEN === "" ? undefined : env.MCP_OPERATOR_TOKEN };
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Comma-separated names. */
function namesIn(list: string | undefined): readonly string[] {
  return (list ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

function problemOf(text: string, isDevelopment: boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "is not a URL";
  if (url.username !== "" || url.password !== "") return "contains a user name; use headers";
  if (url.hash !== "") return "has a fragment";
  if (url.protocol === "https:") return undefined;
  const isPlainAllowed = isDevelopment && LOCAL_HOST.test(url.hostname);
  return url.protocol === "http:" && isPlainAllowed ? undefined : "must begin with https://";
}
