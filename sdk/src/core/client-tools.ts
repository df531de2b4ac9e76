/**
 * The browser tools and AG-UI actions that an oracle can call in this page. The application can add, change and remove
 * them at any time. A message declares the tools that exist when it is sent, and a call runs the handler that exists
 * when it arrives.
 */
import { MAX_CLIENT_TOOL_NAME_LENGTH, MAX_CLIENT_TOOLS, MAX_SCHEMA_BYTES } from "../../../protocol/limits.ts";
import { parseArguments, toJsonSchema, type JsonSchema } from "./schema.ts";
import type { ClientTool } from "./wire.ts";

/** A function of the page that the model can call, and whose result it reads. */
export interface BrowserTool {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly toolName: string;
  /** Describes the tool to the model. */
  readonly description: string;
  /** The schema of the argument of `fn`: a zod 3 (from 3.5) or zod 4 schema, or a JSON schema. */
  readonly schema: unknown;
  /** Must return within 15 seconds. If it throws, the error becomes the tool's error. */
  readonly fn: (args: never) => Promise<unknown>;
}

/**
 * An AG-UI action: something that the model can do in the page. If it has a `render`, the conversation shows the call.
 */
export interface ActionTool {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Describes the action to the model. */
  readonly description: string;
  /** The schema of the argument of `handler`: a zod 3 (from 3.5) or zod 4 schema, or a JSON schema. */
  readonly parameters: unknown;
  /** The page renders the call. */
  readonly hasRender?: boolean;
  /** Must return within 15 seconds. If it throws or returns `{success: false, error}`, the action fails. */
  readonly handler: (args: never) => unknown;
}

/** The browser tools and actions of one chat in this page. */
export interface ClientTools {
  /**
   * Replaces the browser tools of one owner (a component). If two owners register the same name, the newer owner wins.
   * Throws if a name does not have 1 to 64 letters, digits, `_` and `-`, or if there are more than 64 tools.
   */
  setBrowserTools(owner: object, tools: readonly BrowserTool[]): void;
  /** Replaces the actions of one owner, by the same rules. */
  setActions(owner: object, actions: readonly ActionTool[]): void;
  /** Removes all tools and actions of the owner. */
  remove(owner: object): void;
  /**
   * Returns `tools` and `agActions` for the body of a message, with JSON schemas. If an object schema has members, its
   * JSON schema is never empty. Rejects with a sentence that names the tool if a schema cannot be converted.
   */
  declarations(): Promise<{ readonly tools: readonly ClientTool[]; readonly agActions: readonly ClientTool[] }>;
  /** The names of the current tools and actions. */
  names(): { readonly tools: readonly string[]; readonly actions: readonly string[] };
  /** Calls the listener after each change of `names()`. */
  subscribe(listener: () => void): () => void;
  /** Parses the arguments and runs the tool's handler. Throws a sentence for the model. */
  callBrowserTool(name: string, args: unknown): Promise<unknown>;
  /** Parses the arguments and runs the action's handler. Throws a sentence for the model. */
  callAction(name: string, args: unknown): Promise<unknown>;
}

const TOOL_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_CLIENT_TOOL_NAME_LENGTH}}$`);
/** Actions that ask the user a question. Only the user can answer them. */
export const QUESTIONS: readonly string[] = ["approve_tool", "mcp_elicitation"];

export function createClientTools(): ClientTools {
  const browser = createToolSet<BrowserTool>((tool) => checked("browser tool", tool.toolName), MAX_CLIENT_TOOLS);
  const actions = createToolSet<ActionTool>(({ name }) => checked("action", name), MAX_CLIENT_TOOLS);
  const listeners = new Set<() => void>();
  /** Cached by the schema's identity, because an application creates each schema once. */
  const schemas = new WeakMap<object, Promise<JsonSchema>>();

  function changed(isChange: boolean): void {
    if (isChange) for (const listener of listeners) listener();
  }

  async function declare(name: string, description: string, schema: unknown): Promise<ClientTool> {
    try {
      return { name, description, schema: await schemaOf(schema) };
    } catch (error) {
      throw new TypeError(`The tool ${name} cannot be offered: ${error instanceof Error ? error.message : ""}.`, {
        cause: error,
      });
    }
  }

  function schemaOf(schema: unknown): Promise<JsonSchema> {
    if (typeof schema !== "object" || schema === null) return limited(schema);
    const known = schemas.get(schema) ?? limited(schema);
    schemas.set(schema, known);
    return known;
  }

  return {
    setBrowserTools: (owner, tools) => changed(browser.set(owner, tools)),
    setActions: (owner, tools) => changed(actions.set(owner, tools)),
    remove(owner) {
      const isChange = [browser.delete(owner), actions.delete(owner)].includes(true);
      changed(isChange);
    },
    async declarations() {
      const [tools, agActions] = await Promise.all([
        Promise.all(browser.all().map((tool) => declare(tool.toolName, tool.description, tool.schema))),
        Promise.all(
          actions.all().map(async (action) => ({
            ...(await declare(action.name, action.description, action.parameters)),
            ...(action.hasRender === undefined ? {} : { hasRender: action.hasRender }),
          })),
        ),
      ]);
      return { tools, agActions };
    },
    names: () => ({ tools: browser.names(), actions: actions.names() }),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async callBrowserTool(name, args) {
      const tool = browser.get(name);
      if (tool === undefined) throw new Error(`This page has no browser tool ${name}.`);
      const parsed = await parseArguments(name, tool.schema, args);
      return tool.fn(parsed as never);
    },
    async callAction(name, args) {
      const action = actions.get(name);
      if (action === undefined) throw new Error(`This page has no action ${name}.`);
      const parsed = await parseArguments(name, action.parameters, args);
      return action.handler(parsed as never);
    },
  };
}

function checked(kind: string, name: string): string {
  if (!TOOL_NAME.test(name))
    throw new RangeError(
      `The ${kind} ${JSON.stringify(name)} needs a name of 1 to ${MAX_CLIENT_TOOL_NAME_LENGTH} letters, digits, _ and -.`,
    );
  if (kind === "action" && QUESTIONS.includes(name))
    throw new RangeError(`The action name ${name} is reserved: only the user can answer it.`);
  return name;
}

async function limited(schema: unknown): Promise<JsonSchema> {
  const converted = await toJsonSchema(schema);
  const bytes = new TextEncoder().encode(JSON.stringify(converted)).byteLength;
  if (bytes > MAX_SCHEMA_BYTES)
    throw new RangeError(`its schema has ${bytes} bytes of JSON, more than ${MAX_SCHEMA_BYTES}`);
  return converted;
}

/**
 * The tools of one kind from all components. If two components register the same name, the newer component wins. When
 * it unregisters, the older tool is active again.
 */
interface ToolSet<Tool> {
  /**
   * Returns whether the names changed. Throws, without any change, if a name is invalid or there are too many tools.
   */
  set(owner: object, tools: readonly Tool[]): boolean;
  delete(owner: object): boolean;
  get(name: string): Tool | undefined;
  all(): readonly Tool[];
  names(): readonly string[];
}

function createToolSet<Tool>(nameOf: (tool: Tool) => string, limit: number): ToolSet<Tool> {
  let owners: ReadonlyMap<object, readonly Tool[]> = new Map();
  let byName: ReadonlyMap<string, Tool> = new Map();
  let names: readonly string[] = [];

  function replace(next: ReadonlyMap<object, readonly Tool[]>): boolean {
    const tools = new Map([...next.values()].flat().map((tool) => [nameOf(tool), tool] as const));
    if (tools.size > limit) throw new RangeError(`A page offers at most ${limit} tools of a kind, not ${tools.size}.`);
    owners = next;
    byName = tools;
    const before = names;
    names = [...tools.keys()].toSorted();
    return names.length !== before.length || names.some((name, index) => name !== before[index]);
  }

  return {
    set: (owner, tools) => replace(new Map(owners).set(owner, tools)),
    delete: (owner) => replace(new Map([...owners].filter(([each]) => each !== owner))),
    get: (name) => byName.get(name),
    all: () => [...byName.values()],
    names: () => names,
  };
}
