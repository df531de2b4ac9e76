/**
 * Builds the agent of one turn out of the oracle's settings: its context, the tools that plugins give it and what they
 * know of the user. A plugin that throws loses its own part; the turn goes on without it.
 */
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { createAuthority, type Mint } from "./authority.ts";
import { HISTORY_READ_SIZE, HISTORY_TURNS } from "./conversation.ts";
import type { ModelProvider } from "../model-port.ts";
import type { ClientCalls } from "../sockets/client-calls.ts";
import type { AgentState, AgentTool, OraclePlugin, PublishToRoom, RunContext } from "../plugin.ts";
import type { SocketAuthenticator } from "../sockets/door.ts";
import type { ServerPayload } from "../../../protocol/socket-events.ts";
import type { OracleProfile } from "./prompt.ts";
import type { Delegation } from "../rpc.ts";
import type { After } from "../runs/frame-writer.ts";
import type { Transcript } from "../runs/transcript.ts";
import type { RunAgent } from "./run-agent.ts";

/** What an oracle is, as far as its sessions need to know. */
export interface OracleSettings {
  readonly models: ModelProvider;
  readonly plugins: readonly OraclePlugin[];
  readonly profile: OracleProfile;
  readonly mint: Mint;
  /** How long after a prompt to re-authorise the next one stays away, seconds. */
  readonly promptThrottleSeconds: number;
  /** Whether what a turn used also counts against a budget of the whole oracle. */
  readonly hasTokenBudget: boolean;
  /** Who may open a socket: the verifier of the HTTP routes. */
  readonly door: SocketAuthenticator;
}

export interface AgentParts {
  readonly settings: OracleSettings;
  readonly env: Env;
  readonly owner: string;
  readonly sessionId: string;
  readonly transcript: Transcript;
  readonly clientCalls: ClientCalls;
  readonly publish: PublishToRoom;
  readonly readDelegation: () => Promise<Delegation | null>;
  readonly mayPrompt: () => Promise<boolean>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly after: After;
  readonly log: Logger;
}

export function buildAgent(active: ActiveRun, parts: AgentParts): RunAgent {
  const { settings, env, now, log } = parts;
  const { request, run } = active;
  const context: RunContext = {
    user: {
      did: parts.owner,
      currentTime: new Date(now()).toISOString(),
      ...(request.timezone === undefined ? {} : { timezone: request.timezone }),
    },
    session: { id: parts.sessionId, client: request.client, requestId: run.requestId, runId: run.runId },
    oracleDid: settings.profile.did,
    request: {
      tools: request.tools,
      agActions: request.agActions,
      ...(request.answerStyle === undefined ? {} : { answerStyle: request.answerStyle }),
    },
    ucan: createAuthority({
      active,
      readStored: parts.readDelegation,
      mayPrompt: parts.mayPrompt,
      mint: settings.mint,
      now: () => Math.floor(now() / 1000),
    }),
    notice(message, detail) {
      // A run that is picked up again has said it before.
      if (run.attempt === 0) active.notice({ message, detail, kind: "unknown", source: "platform", retryable: false });
    },
    emit: (name, payload) =>
      parts.publish(name, { ...payload, sessionId: parts.sessionId, requestId: run.requestId } as ServerPayload<
        typeof name
      >),
    logger: log,
  };

  async function loadState(plugin: OraclePlugin): Promise<AgentState> {
    try {
      return (await plugin.getSharedState?.(env, context)) ?? {};
    } catch (thrown) {
      log.error("plugin-state-failed", { plugin: plugin.name, reason: describeThrown(thrown) });
      return {};
    }
  }

  function toolsOf(plugin: OraclePlugin, get: "getTools" | "getRequestTools"): readonly AgentTool[] {
    try {
      return plugin[get]?.(env, context) ?? [];
    } catch (thrown) {
      log.error("plugin-tools-failed", { plugin: plugin.name, reason: describeThrown(thrown) });
      return [];
    }
  }

  return {
    models: settings.models,
    profile: settings.profile,
    context,
    loadStates: () => Promise.all(settings.plugins.map(loadState)),
    tools: withoutClashes(
      (["getTools", "getRequestTools"] as const).flatMap((get) =>
        settings.plugins.flatMap((plugin) => toolsOf(plugin, get)),
      ),
      log,
    ),
    clientCalls: parts.clientCalls,
    past: parts.transcript.before(run.ordinal, HISTORY_TURNS, HISTORY_READ_SIZE),
    pause: (milliseconds, signal) => pause(parts.after, milliseconds, signal),
    log,
  };
}

/** The first tool of a name stays: neither a plugin nor a request can take another's place. */
function withoutClashes(tools: readonly AgentTool[], log: Logger): readonly AgentTool[] {
  const byName = new Map<string, AgentTool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) log.warn("tool-name-clash", { tool: tool.name });
    else byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

/** Resolves after that time; rejects with the signal's reason as soon as it fires. */
function pause(after: After, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      callOff();
      reject(signal.reason);
    };
    const callOff = after(milliseconds, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
