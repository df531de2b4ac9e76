/**
 * The tools of each server, as last read. Lists of servers without sign-in are shared, in the isolate's memory; a list read with a
 * user's token stays in that user's storage. A turn reads a list once, at its start.
 */
import type { PriorDiscovery } from "@modelcontextprotocol/client";
import type { JsonValue } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { ListedTool } from "./listed-tool.ts";

/** Default TTL of a list, milliseconds. */
export const DEFAULT_LIST_TTL_MS = 60_000;
/** Maximum TTL, whatever the server states. */
export const MAX_LIST_TTL_MS = 86_400_000;

/** How often one connection marks a list as old: a server can report thousands of changes in one response. */
export const MARKS_PER_CONNECTION = 10;

export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly omitted: number;
  readonly prior: PriorDiscovery;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface ListPlace {
  get(): Promise<ToolList | undefined>;
  put(list: ToolList): Promise<void>;
  /** The list must be read again before the next turn. */
  markOld(): Promise<void>;
}

export function expiryOf(now: number, ttlMs: number | undefined): number {
  return now + Math.min(Math.max(ttlMs ?? DEFAULT_LIST_TTL_MS, 0), MAX_LIST_TTL_MS);
}

/** The place of a list that all users share. */
export function sharedPlace(lists: Map<string, ToolList>, server: string): ListPlace {
  return {
    get: async () => lists.get(server),
    async put(list) {
      lists.set(server, list);
    },
    async markOld() {
      const list = lists.get(server);
      if (list !== undefined) lists.set(server, { ...list, expiresAt: 0 });
    },
  };
}

/** The place of a list for which each user signs in. */
export function userPlace(kv: PluginKv, server: string): ListPlace {
  const key = `list/${server}`;
  const get = async (): Promise<ToolList | undefined> => (await kv.get(key)) as unknown as ToolList | undefined;
  const put = (list: ToolList): Promise<void> => kv.set(key, list as unknown as JsonValue);
  return {
    get,
    put,
    async markOld() {
      const list = await get();
      if (list !== undefined) await put({ ...list, expiresAt: 0 });
    },
  };
}

/** Marks the list as old for one connection: one write at a time; changes reported meanwhile cause one more. */
export function createMarker(
  place: Pick<ListPlace, "markOld">,
  background: (work: Promise<unknown>) => void,
): () => void {
  let left = MARKS_PER_CONNECTION;
  let isMarking = false;
  let isSaidAgain = false;

  async function mark(): Promise<void> {
    isMarking = true;
    try {
      do {
        left -= 1;
        isSaidAgain = false;
        await place.markOld();
      } while (isSaidAgain && left > 0);
    } finally {
      isMarking = false;
    }
  }

  return () => {
    isSaidAgain = true;
    if (!isMarking && left > 0) background(mark());
  };
}
