/**
 * Checks the arguments of a tool call by the tool's own schema, and hands them on as that schema reads them. It is the
 * innermost middleware: what another one changed is checked too.
 */
import type { AgentMiddleware } from "../../../../workers/oracle/framework/middleware.ts";
import type { JsonObject } from "../../../../workers/platform/json.ts";
import type { Toolbox } from "../capabilities.ts";
import { readArguments } from "../tool-schemas.ts";
import { REFUSED } from "../wanted-calls.ts";

export function argumentValidation(toolbox: Toolbox): AgentMiddleware {
  return {
    name: "argument-validation",
    required: true,
    async wrapToolCall(request, next) {
      const tool = toolbox.find(request.name);
      if ("problem" in tool) return { error: tool.problem };
      if ("runsIn" in tool) {
        const reason = tool.problemOf(request.args);
        return reason === undefined ? next(request) : { error: `${REFUSED} (${reason}): ${request.name}` };
      }
      const read = await readArguments(tool.schema, request.args);
      if (read === undefined) return { error: `${REFUSED}: ${request.name}` };
      // What a schema makes of them is for the tool alone, and may be anything.
      return next({ ...request, args: read.args as JsonObject });
    },
  };
}
