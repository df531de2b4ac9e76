/**
 * One call of a tool: authorization, time limit, and the meaning of a failure. A read that was lost in transit is retried once; the
 * outcome of any other lost call is unknown, and the model gets this information.
 */
import {
  ProtocolError,
  SdkHttpError,
  type CallToolResult,
  type ElicitRequest,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../platform/json.ts";
import { describeThrown } from "../../../platform/log.ts";
import { ToolError, type ToolContext } from "../../framework/tools.ts";
import type { Authorization } from "./authorization.ts";
import { outcomeOf } from "./call-result.ts";
import { createCallClock, type CallClock } from "./call-clock.ts";
import type { Connection } from "./connection.ts";
import { claimInvocation } from "./invocations.ts";
import { effectOf, type ListedTool } from "./listed-tool.ts";
import { RESULT_TOO_LARGE } from "./response-limit.ts";
import type { McpServer } from "./settings.ts";
import { maySignIn, signInOutput, withoutBrowser } from "./sign-in.ts";
import { RESULT_LOST } from "./transport.ts";
import type { TurnServers } from "./turn-servers.ts";

/** Time limit of a call, milliseconds, excluding questions to the user. */
export const CALL_MS = 60_000;
/**
 * Pause before a lost call is retried, milliseconds. A server that fails breaks all its connections; without the pause, the retry
 * may use one that the runtime still considers open.
 */
const AGAIN_AFTER_MS = 100;
/** How often a server may ask the user in one call: questions pause the call's time limit, and each is shown. */
export const MAX_QUESTIONS = 10;
/** Maximum length of a server's error text, UTF-16 units. */
const MAX_REASON_LENGTH = 1_000;

/** Answers a server that asks the user a question. Never rejects. */
export type AnswerElicitation = (
  params: ElicitRequest["params"],
  call: { readonly server: McpServer; readonly tool: string; readonly ctx: ToolContext; readonly signal: AbortSignal },
) => Promise<ElicitResult>;

export interface CallMaker {
  call(server: McpServer, tool: ListedTool, args: JsonObject, ctx: ToolContext): Promise<unknown>;
}

interface RunningCall {
  readonly server: McpServer;
  readonly tool: ListedTool;
  readonly ctx: ToolContext;
  readonly clock: CallClock;
  /** How often its server has asked the user. */
  questions: number;
}

interface CallMakerOptions {
  readonly servers: TurnServers;
  readonly clock: () => number;
  readonly answerElicitation: AnswerElicitation;
}

export function createCallMaker({ servers, clock: now, answerElicitation }: CallMakerOptions): CallMaker {
  const running = new Set<RunningCall>();

  /** Older servers ask on the connection instead of in a call: the newest call answers. */
  function elicitFor(server: McpServer) {
    return async (params: ElicitRequest["params"]): Promise<ElicitResult> => {
      const calls = [...running].filter((call) => call.server === server);
      const asking = calls.at(-1);
      if (asking === undefined || !asking.ctx.session.capabilities.page) return { action: "decline" };
      asking.questions += 1;
      if (asking.questions > MAX_QUESTIONS) return tooMany(asking);
      const resumes = calls.map(({ clock }) => clock.pause());
      try {
        const { tool, ctx, clock } = asking;
        return await answerElicitation(params, { server, tool: tool.name, ctx, signal: clock.signal });
      } finally {
        for (const resume of resumes) resume();
      }
    };
  }

  async function connectionFor({
    server,
    tool,
    ctx,
  }: RunningCall): Promise<Connection | Exclude<Authorization, { kind: "headers" }>> {
    if (server.auth !== "ucan") return servers.connectionTo(server, elicitFor(server));
    const token = await claimInvocation(
      { server: server.name, name: tool.name, modelName: tool.modelName },
      ctx,
      now(),
    );
    if (token === undefined) return { kind: "unavailable", reason: "invocation" };
    const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" };
    return servers.connectionWith(server, headers, elicitFor(server));
  }

  /** Undefined: the result was lost, and the call may have been made. */
  async function attempt(call: RunningCall, args: JsonObject): Promise<CallToolResult | Lost | string> {
    const { server, tool, ctx, clock } = call;
    let connection: Connection | undefined;
    try {
      const reached = await connectionFor(call);
      if ("kind" in reached) return refusalOutput(call, reached);
      connection = reached;
      return await connection.call(args, { definition: tool.definition, signal: clock.signal });
    } catch (thrown) {
      if (ctx.abortSignal.aborted) throw thrown;
      if (connection?.refusal !== undefined) return refusalOutput(call, connection.refusal);
      if (thrown instanceof ProtocolError && thrown.code === RESULT_TOO_LARGE) return tooLargeOutput(call);
      if (thrown instanceof ProtocolError && thrown.code !== RESULT_LOST)
        throw new ToolError(`${tool.modelName} failed: ${thrown.message.slice(0, MAX_REASON_LENGTH)}`);
      if (connection !== undefined) servers.drop(server, connection);
      ctx.logger.warn("mcp-call-lost", { server: server.name, reason: describeThrown(thrown) });
      return { lost: clock.isOver ? "late" : wasRefused(thrown) || connection === undefined ? "unsent" : "unknown" };
    } finally {
      if (server.auth === "ucan" && connection !== undefined) ctx.background(connection.close());
    }
  }

  return {
    async call(server, tool, args, ctx) {
      if (server.auth === "oauth" && !maySignIn(ctx)) return withoutBrowser(server.name);
      const call = { server, tool, ctx, clock: createCallClock(CALL_MS, ctx.abortSignal), questions: 0 };
      running.add(call);
      try {
        let result = await attempt(call, args);
        if (isLost(result) && mayBeMadeAgain(result, call)) {
          await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
          result = await attempt(call, args);
        }
        if (typeof result === "string") return result;
        if (isLost(result)) throw new ToolError(sentenceOf(result, call));
        const outcome = outcomeOf(result);
        if ("error" in outcome) throw new ToolError(outcome.error);
        return outcome.output;
      } finally {
        running.delete(call);
        call.clock.stop();
      }
    },
  };
}

function tooMany({ server, tool, ctx, questions }: RunningCall): ElicitResult {
  if (questions === MAX_QUESTIONS + 1) {
    ctx.logger.info("mcp-elicitation-declined", { server: server.name, tool: tool.name, reason: "too_many" });
    ctx.notice(
      `${server.name} asked more than ${MAX_QUESTIONS} questions in one call, so the others were declined.`,
      "mcp_elicitation_declined",
    );
  }
  return { action: "decline" };
}

interface Lost {
  /** `unsent`: the server did not receive it. */
  readonly lost: "late" | "unsent" | "unknown";
}

function isLost(result: CallToolResult | Lost | string): result is Lost {
  return typeof result === "object" && "lost" in result;
}

/** The token of a UCAN invocation permits one call. */
function mayBeMadeAgain({ lost }: Lost, { server, tool }: RunningCall): boolean {
  if (server.auth === "ucan" || lost === "late") return false;
  return lost === "unsent" || effectOf(server, tool) === "read";
}

function sentenceOf({ lost }: Lost, { server, tool }: RunningCall): string {
  const { modelName } = tool;
  if (lost === "unsent") return `${modelName} was not run: its server cannot be reached`;
  if (effectOf(server, tool) === "write")
    return `The outcome of ${modelName} is unknown; it was not run again. Ask the user before you repeat it.`;
  return lost === "late"
    ? `${modelName} did not answer within ${CALL_MS / 1000} seconds`
    : `${modelName} failed: its server ended the connection`;
}

/** The server has answered: a write was made, and must not look repeatable. */
function tooLargeOutput({ server, tool: { modelName }, tool, ctx }: RunningCall): string {
  ctx.logger.warn("mcp-result-too-large", { server: server.name, tool: tool.name });
  if (effectOf(server, tool) === "write")
    return `${modelName} was completed, but its result is too large. Do not call it again to see the result.`;
  throw new ToolError(`The result of ${modelName} is too large`);
}

/** The server refused the call before it ran anything. */
function wasRefused(thrown: unknown): boolean {
  return thrown instanceof SdkHttpError && thrown.status >= 400 && thrown.status < 500;
}

function refusalOutput(
  { server, tool, ctx }: RunningCall,
  refused: Exclude<Authorization, { kind: "headers" }>,
): string {
  if (refused.kind === "sign-in") return signInOutput(server, refused.url, ctx);
  if (server.auth === "ucan") return `MCP tool ${tool.modelName} requires a valid invocation`;
  throw new ToolError(`${tool.modelName} was not run: signing in to ${server.name} is not possible at the moment`);
}
