/**
 * The plugins portal and agui: a request's browser tools and AG-UI actions become tools for the model in that run. A tool that
 * cannot be offered to a model is omitted with a notice. The session sends the calls to the client
 * (`oracle/agent/client-requests.ts`).
 */
import type { RuntimeContext } from "../../framework/context.ts";
import { defineOraclePlugin } from "../../framework/plugin.ts";
import type { ClientSide, ClientSideTool } from "../../framework/tools.ts";
import type { ClientTool } from "../../../protocol/requests.ts";
import { APPROVE_TOOL } from "../../../protocol/socket-events.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { readArgumentSchema } from "../../framework/argument-schema.ts";

/** The names that providers accept; a refused name would fail the whole run. */
const TOOL_NAME = /^[\w-]{1,64}$/;
/** Maximum characters of a name in a notice. */
const NAME_SHOWN = 64;

export const portal = defineOraclePlugin({
  name: "portal",
  version: "1.0.0",
  manifest: {
    title: "Browser tools",
    summary: "Functions of the page that the user has open.",
    whenToUse: ["the user asks for something that the page can do"],
    visibility: "always",
  },
  turnsWith: ["browser-tools"],
  getRequestTools: (context) => offered(context.request.tools, "browser", "browser tool", context),
});

export const agui = defineOraclePlugin({
  name: "agui",
  version: "1.0.0",
  manifest: {
    title: "AG-UI actions",
    summary: "Actions of the application that the user has open.",
    whenToUse: ["the user asks for something that the application can do or show"],
    visibility: "always",
  },
  turnsWith: ["actions"],
  getRequestTools: (context) => offered(context.request.agActions, "action", "action", context),
});

function offered(
  tools: readonly ClientTool[],
  runsIn: ClientSide,
  noun: string,
  context: RuntimeContext,
): readonly ClientSideTool[] {
  if (!context.session.capabilities.page) return [];
  return tools.flatMap((tool) => {
    // The client's answer to approvals (OR-173) is not a tool for the model, which must not invent questions.
    if (tool.name === APPROVE_TOOL) return [];
    const made = clientSideTool(tool, runsIn);
    if (made.ok) return [made.value];
    context.logger.warn("client-tool-left-out", { kind: runsIn, reason: made.error });
    context.notice(
      `The ${noun} "${tool.name.slice(0, NAME_SHOWN)}" was left out: ${made.error}`,
      "client_tool_left_out",
    );
    return [];
  });
}

function clientSideTool({ name, description, schema }: ClientTool, runsIn: ClientSide): Result<ClientSideTool, string> {
  if (!TOOL_NAME.test(name)) return failure("its name must be 1 to 64 letters, digits, dashes and underscores");
  const read = readArgumentSchema(schema);
  if (!read.ok) return read;
  return success({
    name,
    description,
    runsIn,
    schema: read.value,
  });
}
