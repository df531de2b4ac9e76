/**
 * The arguments of tool calls: how much of a model's output can be stored, how a tool's schema describes and parses it, and the
 * innermost middleware, which validates every call after other middleware may have changed it. Schemas are recognised by their
 * shape, since an author's zod may be another copy or version.
 */
import * as z from "zod";
import { findMismatch } from "../framework/argument-check.ts";
import { readArgumentSchema } from "../framework/argument-schema.ts";
import type { AgentMiddleware } from "../framework/middleware.ts";
import { type JsonObject, depthOf, isJsonObject } from "../../platform/json.ts";
import { describeThrown } from "../../platform/log.ts";
import type { BoundTool, Toolbox } from "./bound-tool.ts";
import type { ModelToolCall } from "../framework/model-call.ts";

/** Maximum size of one call's arguments, UTF-16 units of their JSON: a call is stored in one row and sent in two frames. */
export const CALL_INPUT_SIZE = 128 * 1024;
/** Maximum nesting depth: a recursive JSON writer would overflow the stack. */
export const CALL_INPUT_DEPTH = 100;

/** Starts the problem of a call whose arguments are invalid. */
const REFUSED = "The arguments do not match the tool's parameters";

export interface WantedCall {
  readonly modelCallId: string;
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly args: JsonObject;
  /** Why the call cannot be made, as a text for the model. */
  readonly problem?: string;
}

export function wantedCall({ id: modelCallId, name, args }: ModelToolCall): WantedCall {
  const call = { modelCallId, name };
  if (!isBounded(args)) return { ...call, args: {}, problem: `The arguments are too large: ${name}` };
  return isJsonObject(args) ? { ...call, args } : { ...call, args: {}, problem: `${REFUSED}: ${name}` };
}

function isBounded(args: unknown): boolean {
  return depthOf(args) <= CALL_INPUT_DEPTH && JSON.stringify(args).length <= CALL_INPUT_SIZE;
}

/** The JSON Schema of a zod schema is created once: plugins often declare schemas once per isolate. */
const described = new WeakMap<object, JsonObject>();

/** Throws for a schema that cannot be described: model services accept only objects with named members. */
export function describeSchema(schema: unknown): JsonObject {
  if (schema === undefined || schema === null) throw new TypeError("the tool has no schema");
  if (typeof schema !== "object") throw new TypeError(NO_SCHEMA);
  const known = described.get(schema);
  if (known !== undefined) return known;
  const description = toJsonSchema(schema);
  if (description["type"] !== "object")
    throw new TypeError(
      'the schema does not describe an object: use z.object({...}), or a JSON Schema of "type": "object"',
    );
  described.set(schema, description);
  return description;
}

const NO_SCHEMA = "the schema is neither a zod schema nor a JSON Schema";

function toJsonSchema(schema: object): JsonObject {
  if ("_zod" in schema) {
    const made = z.toJSONSchema(schema as z.ZodType, { target: "draft-7", io: "input", unrepresentable: "any" });
    return made as unknown as JsonObject;
  }
  // A schema of an older zod can check, but not describe itself.
  if (isParser(schema)) return { type: "object" };
  if (!isJsonObject(schema)) throw new TypeError(NO_SCHEMA);
  if (schema["type"] !== "object") return schema;
  const read = readArgumentSchema(schema);
  if (!read.ok) throw new TypeError(read.error);
  return read.value;
}

interface Parser {
  safeParseAsync(
    input: unknown,
  ): Promise<
    { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error?: unknown }
  >;
}

function isParser(schema: object): schema is Parser {
  return "safeParseAsync" in schema && typeof schema.safeParseAsync === "function";
}

/** The arguments as the tool's schema parses them, or the validation errors as a text for the model. */
async function readArguments(
  { schema, inputSchema }: Pick<BoundTool, "schema" | "inputSchema">,
  args: JsonObject,
): Promise<{ readonly args: unknown } | { readonly refused: string }> {
  if (!isParser(schema)) {
    const refused = findMismatch(inputSchema, args);
    return refused === undefined ? { args } : { refused };
  }
  const parsed = await schema.safeParseAsync(args);
  return parsed.success ? { args: parsed.data } : { refused: describeIssues(parsed.error) };
}

/** How many issues of one call the model gets, and the length of each in UTF-16 units: a schema may list a thousand values. */
export const LISTED_ISSUES = 5;
export const ISSUE_SIZE = 200;

/** Formats the errors of any zod version: `/city Invalid input: expected string, received number; ...`. */
function describeIssues(error: unknown): string {
  const issues: readonly unknown[] = isJsonObject(error) && Array.isArray(error["issues"]) ? error["issues"] : [];
  const listed = issues.slice(0, LISTED_ISSUES).map((issue) => {
    const { path = [], message = "" } = isJsonObject(issue) ? issue : {};
    const place = Array.isArray(path) ? path.map((step) => `/${String(step)}`).join("") : "";
    return `${place} ${typeof message === "string" ? message : ""}`.trim().slice(0, ISSUE_SIZE);
  });
  return listed.filter((text) => text !== "").join("; ");
}

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
      // Only the tool gets the parsed arguments, which may be of any type.
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
  const read = await readArguments(tool, args);
  if ("args" in read) return read;
  return { problem: read.refused === "" ? REFUSED : `${REFUSED} (${read.refused})` };
}
