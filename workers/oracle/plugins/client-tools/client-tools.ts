/**
 * The plugins portal and agui (contract/oracle.md section 10.3): a request's browser tools and AG-UI actions become tools
 * for the model in that turn. A tool that no model could be offered is left out with a notice (decisions 3.7). Where a
 * call goes and how its result comes back is the session's matter.
 */
import type {
  ClientSide,
  OraclePlugin,
  RequestTool,
  RunContext,
} from "../../../../durable-objects/chat-session/plugin.ts";
import type { ClientTool } from "../../../../protocol/requests.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { findMisfit } from "./argument-check.ts";
import { readArgumentSchema } from "./argument-schema.ts";

/** What the providers take for a name; one that they refuse would cost the whole turn. */
const TOOL_NAME = /^[\w-]{1,64}$/;
/** Characters of a name that a notice repeats. */
const NAME_SHOWN = 64;

const manifest = {
  whenNotToUse: ["The request brings none"],
  examples: [],
  tags: ["client"],
  category: "client",
  visibility: "always",
  stability: "stable",
} as const;

export const portal: OraclePlugin = {
  name: "portal",
  version: "1.0.0",
  manifest: {
    ...manifest,
    title: "Browser tools",
    summary: "Functions that the page offers for one message.",
    whenToUse: ["The page can look something up or do something that the user asks for"],
  },
  getRequestTools: (_, context) => offered(context.request.tools, "browser", "browser tool", context),
};

export const agui: OraclePlugin = {
  name: "agui",
  version: "1.0.0",
  manifest: {
    ...manifest,
    title: "AG-UI actions",
    summary: "Actions of the user's application, which can show their result.",
    whenToUse: ["The application can perform or show what the user asks for"],
  },
  getRequestTools: (_, context) => offered(context.request.agActions, "action", "action", context),
};

function offered(
  tools: readonly ClientTool[],
  runsIn: ClientSide,
  noun: string,
  context: RunContext,
): readonly RequestTool[] {
  return tools.flatMap((tool) => {
    const made = requestTool(tool, runsIn);
    if (made.ok) return [made.value];
    context.logger.warn("client-tool-left-out", { kind: runsIn, reason: made.error });
    context.notice(
      `The ${noun} "${tool.name.slice(0, NAME_SHOWN)}" was left out: ${made.error}`,
      "client_tool_left_out",
    );
    return [];
  });
}

function requestTool({ name, description, schema }: ClientTool, runsIn: ClientSide): Result<RequestTool, string> {
  if (!TOOL_NAME.test(name)) return failure("its name must be 1 to 64 letters, digits, dashes and underscores");
  const read = readArgumentSchema(schema);
  if (!read.ok) return read;
  const inputSchema = read.value;
  return success({ name, description, runsIn, inputSchema, misfitOf: (input) => findMisfit(inputSchema, input) });
}
