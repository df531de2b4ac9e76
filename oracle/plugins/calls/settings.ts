/** The operator's settings for calls. Every variable is optional: a feature without its variables is off. */
import * as z from "zod";

export interface CallSettings {
  /** Enables `GET /calls/:callId/key`, for the agent that joins calls. */
  readonly agentKey: string | undefined;
  /** Issues access tokens; `POST /sfu/get` does not exist without it. */
  readonly liveKit: LiveKitSettings | undefined;
  /** Reads the event that announces a call. */
  readonly matrix: MatrixSettings | undefined;
}

export interface LiveKitSettings {
  /** The address that clients connect to, `wss://…`. */
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Server names and the base addresses of their federation APIs. */
  readonly homeservers: ReadonlyMap<string, string>;
}

export interface MatrixSettings {
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Names of the servers whose users' ids prove their DIDs. */
  readonly servers: readonly string[];
}

/** A host with or without a port, as in a user's id. */
const SERVER_NAME = /^(?:[a-z0-9.-]{1,230}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/;

const text = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value.trim() === "" ? undefined : value.trim()));

const address = (...protocols: readonly string[]) =>
  text.refine((value) => value === undefined || protocols.includes(URL.parse(value)?.protocol ?? ""), {
    error: `must begin with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
  });

const homeservers = text.transform((list, context): ReadonlyMap<string, string> => {
  const named = new Map<string, string>();
  for (const entry of (list ?? "").split(",").map((each) => each.trim())) {
    if (entry === "") continue;
    const [name = "", base = `https://${name}`] = entry.split("=", 2);
    const url = URL.parse(base);
    if (!SERVER_NAME.test(name) || url === null || !["http:", "https:"].includes(url.protocol)) {
      context.addIssue({ code: "custom", message: "must be server names, or name=address, with commas between them" });
      return z.NEVER;
    }
    named.set(name, base.replace(/\/+$/, ""));
  }
  return named;
});

export const callSettings: z.ZodType<CallSettings> = z
  .object({
    LIVE_AGENT_AUTH_API_KEY: text,
    LIVEKIT_URL: address("wss:", "ws:", "https:", "http:"),
    LIVEKIT_API_KEY: text,
    LIVEKIT_API_SECRET: text,
    CALLS_HOMESERVERS: homeservers,
    MATRIX_BASE_URL: address("https:", "http:"),
    MATRIX_ACCESS_TOKEN: text,
  })
  .transform((env): CallSettings => {
    const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = env;
    const { MATRIX_BASE_URL: baseUrl, MATRIX_ACCESS_TOKEN: accessToken, CALLS_HOMESERVERS } = env;
    const named = CALLS_HOMESERVERS;
    const isLiveKit = url !== undefined && apiKey !== undefined && apiSecret !== undefined;
    const isMatrix = baseUrl !== undefined && accessToken !== undefined;
    return {
      agentKey: env.LIVE_AGENT_AUTH_API_KEY,
      liveKit: isLiveKit ? { url, apiKey, apiSecret, homeservers: CALLS_HOMESERVERS } : undefined,
      matrix: isMatrix
        ? { baseUrl: baseUrl.replace(/\/+$/, ""), accessToken, servers: serversOf(baseUrl, named) }
        : undefined,
    };
  });

/** Without a list, the server of the oracle's own account, if its address equals its name. */
function serversOf(baseUrl: string, homeservers: ReadonlyMap<string, string>): readonly string[] {
  return homeservers.size > 0 ? [...homeservers.keys()] : [new URL(baseUrl).host];
}
