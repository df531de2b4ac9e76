/**
 * What an oracle may call in this page: browser tools and AG-UI actions. They may be added, changed and removed at any time;
 * a message declares those that are there when it is sent, and a call runs the handler of that moment.
 */
import { MAX_CLIENT_TOOL_NAME_LENGTH, MAX_CLIENT_TOOLS, MAX_SCHEMA_BYTES } from "../../../protocol/limits.ts";
import { parseArguments, toJsonSchema, type JsonSchema } from "./schema.ts";
import type { ClientTool } from "./wire.ts";

/** A function of the page that the model may call; its result is what the model reads. */
export interface BrowserTool {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly toolName: string;
  /** Says to the model what the tool does. */
  readonly description: string;
  /** Of the object that `fn` is given: of zod 3 (from 3.5) or 4, or a JSON schema. */
  readonly schema: unknown;
  /** Has 15 seconds; what it throws is the tool's error. */
  readonly fn: (args: never) => Promise<unknown>;
}

/** An AG-UI action: what the model may do in the page, drawn in the conversation when it has a `render`. */
export interface ActionTool {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Says to the model what the action does. */
  readonly description: string;
  /** Of the object that `handler` is given: of zod 3 (from 3.5) or 4, or a JSON schema. */
  readonly parameters: unknown;
  /** The page draws the call. */
  readonly hasRender?: boolean;
  /** Has 15 seconds; what it throws, or `{success: false, error}`, is the action's failure. */
  readonly handler: (args: never) => unknown;
}

/** The browser tools and actions of one chat's page. */
export interface ClientTools {
  /**
   * Replaces the browser tools of one owner (a component). Of two owners' tools with one name that of the newer owner counts.
   * Throws when a name is not 1 to 64 letters, digits, `_` and `-`, and when there would be more than 64 tools.
   */
  setBrowserTools(owner: object, tools: readonly BrowserTool[]): void;
  /** Replaces the actions of one owner, by the same rules. */
  setActions(owner: object, actions: readonly ActionTool[]): void;
  /** Removes all that the owner brought. */
  remove(owner: object): void;
  /**
   * The bodies' `tools` and `agActions`, with JSON schemas; never an empty one for an object with members. Rejects with a sentence
   * that names the tool whose schema cannot be converted.
   */
  declarations(): Promise<{ readonly tools: readonly ClientTool[]; readonly agActions: readonly ClientTool[] }>;
  /** The names of those that are there now. */
  names(): { readonly tools: readonly string[]; readonly actions: readonly string[] };
  /** Called after each change of `names()`. */
  subscribe(listener: () => void): () => void;
  /** Parses the arguments and runs the handler; throws a sentence for the model. */
  callBrowserTool(name: string, args: unknown): Promise<unknown>;
  /** The same of an action. */
  callAction(name: string, args: unknown): Promise<unknown>;
}

const TOOL_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_CLIENT_TOOL_NAME_LENGTH}}$`);
/** Actions that ask the user, by whom alone they are answered. */
export const QUESTIONS: readonly string[] = ["approve_tool", "mcp_elicitation"];

export function createClientTools(): ClientTools {
  const browser = createToolSet<BrowserTool>((tool) => checked("browser tool", tool.toolName), MAX_CLIENT_TOOLS);
  const actions = createToolSet<ActionTool>(({ name }) => checked("action", name), MAX_CLIENT_TOOLS);
  const listeners = new Set<() => void>();
  /** By the schema's identity: an application makes its schemas once. */
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
    throw new RangeError(`The action name ${name} is taken: the user alone answers it.`);
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
 * The tools of one kind over all components that bring some. If two bring the same name, the newer component's counts; when it goes, the
 * other is back.
 */
interface ToolSet<Tool> {
  /** Whether the names changed. Throws, and changes nothing, for a wrong name or too many tools. */
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
