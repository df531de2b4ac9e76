/**
 * Servers with `pin`: the approved version of each tool, in the oracle's own storage. The first version seen is accepted. Another
 * version waits, and its tool is off, until an operator accepts it.
 */
import type { JsonValue } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import { isVersion, type ListedTool } from "./listed-tool.ts";

/** How long an isolate caches pins, milliseconds: the maximum delay of an acceptance. */
export const PINS_READ_AGAIN_MS = 15_000;

export interface Pin {
  readonly accepted: string;
  /** The server's current version, if it differs. */
  readonly waiting?: string;
}

/** Keyed by tool name. */
export type Pins = Readonly<Record<string, Pin>>;

export interface PinnedTools {
  readonly tools: readonly ListedTool[];
  /** Names of tools that wait for an operator. */
  readonly waiting: readonly string[];
}

export async function readPins(kv: PluginKv, server: string): Promise<Pins> {
  return ((await kv.get(keyOf(server))) as unknown as Pins | undefined) ?? {};
}

/** The pins after a server's list; the same object if nothing changes. */
export function pinsWith(pins: Pins, tools: readonly ListedTool[]): Pins {
  let changed: Record<string, Pin> | undefined;
  for (const tool of tools) {
    const { name, hash } = tool;
    const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
    const isAccepted = pin === undefined || isVersion(tool, pin.accepted);
    const next = isAccepted ? { accepted: hash } : { ...pin, waiting: hash };
    if (pin?.accepted !== next.accepted || pin.waiting !== ("waiting" in next ? next.waiting : undefined))
      (changed ??= { ...pins })[name] = next;
  }
  return changed ?? pins;
}

export function acceptedTools(pins: Pins, tools: readonly ListedTool[]): PinnedTools {
  const isAccepted = (tool: ListedTool): boolean =>
    Object.hasOwn(pins, tool.name) && isVersion(tool, pins[tool.name]?.accepted);
  return {
    tools: tools.filter(isAccepted),
    waiting: tools.flatMap((tool) => (isAccepted(tool) ? [] : [tool.name])),
  };
}

/** Merges a server's list into the stored pins: concurrent isolates converge by reading again. */
export async function updatePins(kv: PluginKv, server: string, tools: readonly ListedTool[]): Promise<Pins> {
  const stored = await readPins(kv, server);
  const pins = pinsWith(stored, tools);
  if (pins !== stored) await kv.set(keyOf(server), asJson(pins));
  return pins;
}

/** False if the version is neither waiting nor accepted: the operator has seen a different version. */
export async function acceptPin(kv: PluginKv, server: string, tool: string, hash: string): Promise<boolean> {
  const pins = await readPins(kv, server);
  const pin = Object.hasOwn(pins, tool) ? pins[tool] : undefined;
  if (pin?.waiting !== hash) return pin?.accepted === hash;
  await kv.set(keyOf(server), asJson({ ...pins, [tool]: { accepted: hash } }));
  return true;
}

function keyOf(server: string): string {
  return `pins/${server}`;
}

function asJson(pins: Pins): JsonValue {
  return Object.fromEntries(Object.entries(pins).map(([name, pin]) => [name, { ...pin }]));
}
