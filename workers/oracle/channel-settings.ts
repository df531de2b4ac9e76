/** How the sessions' sockets are kept: heartbeat and origins, by the environment (contract/oracle.md sections 8.1, 8.2). */
import type { ChannelSettings } from "../../durable-objects/chat-session/settings.ts";
import { readEdgePolicy } from "../platform/http/cors.ts";
import { parseOracleConfig, readOracleConfig, type OracleConfig } from "./config.ts";

/** While the configuration is wrong connections are refused one by one, with the defaults' heartbeat. */
export function channelSettings(env: Env): ChannelSettings {
  const config = readOracleConfig(env);
  const { SOCKET_PING_INTERVAL_MS, SOCKET_PING_TIMEOUT_MS } = config.ok ? config.value : defaults();
  const { origins } = readEdgePolicy(env);
  return { pingIntervalMs: SOCKET_PING_INTERVAL_MS, pingTimeoutMs: SOCKET_PING_TIMEOUT_MS, origins };
}

function defaults(): Pick<OracleConfig, "SOCKET_PING_INTERVAL_MS" | "SOCKET_PING_TIMEOUT_MS"> {
  const config = parseOracleConfig({ ORACLE_DID: "did:key:none" });
  if (!config.ok) throw new Error("the defaults are no configuration");
  return config.value;
}
