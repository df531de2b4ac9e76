/**
 * Checks the arguments of a tool call by the tool's own schema, and hands them on as that schema reads them. It is the
 * innermost middleware: what another one changed is checked too.
 */
import type { AgentMiddleware } from "../../../../workers/oracle/framework/middleware.ts";
import type { JsonObject } from "../../../../workers/platform/json.ts";
import { describeThrown } from "../../../../workers/platform/log.ts";
import type { Toolbox } from "../capabilities.ts";
import type { BoundTool } from "../contributions.ts";
import { readArguments } from "../tool-schemas.ts";
import { REFUSED } from "../wanted-calls.ts";

export function argumentValidation(toolbox: Toolbox): AgentMiddleware {
  return {
    name: "argument-validation",
    required: true,
    async wrapToolCall(request, next, { logger }) {
      const { name } = request;
      const tool = toolbox.find(name);
      if ("problem" in tool) return { error: tool.problem };
      let read: Awaited<ReturnType<typeof check>>;
      try {
        read = await check(tool, request.args);
      } catch (thrown) {
        logger.warn("tool-failed", { tool: name, reason: describeThrown(thrown) });
        return { error: `The arguments could not be checked: ${name}` };
      }
      // What a schema makes of them is for the tool alone, and may be anything.
      return "args" in read
        ? next({ ...request, args: read.args as JsonObject })
        : { error: `${read.problem}: ${name}` };
    },
  };
}

async function check(
  tool: BoundTool,
  args: JsonObject,
): Promise<{ readonly args: unknown } | { readonly problem: string }> {
  const read = "runsIn" in tool ? problemOf(tool.problemOf(args), args) : await readArguments(tool.schema, args);
  if ("args" in read) return read;
  return { problem: read.refused === "" ? REFUSED : `${REFUSED} (${read.refused})` };
}

function problemOf(refused: string | undefined, args: JsonObject) {
  return refused === undefined ? { args } : { refused };
}
