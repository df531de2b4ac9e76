/**
 * The storage of calls: the record in the storage of its user, and per call id a separate storage that names this user. The first
 * user to sync a call owns it, so that others cannot take it over.
 */
import * as z from "zod";
import type { UserStorage } from "../../framework/context.ts";
import { KvLimitError, type PluginKv } from "../../framework/storage.ts";
import type { JsonValue } from "../../../platform/json.ts";
import { callRecord, type CallRecord } from "./call-record.ts";
import { sha256Hex } from "../../../platform/digest.ts";

/**
 * How many of the oldest calls are deleted when a user's storage is full: three keys each, so that one request stays far below the
 * runtime's limit of subrequests.
 */
export const FORGOTTEN_CALLS = 100;
/** How many of a session's newest calls are listed. */
export const LISTED_CALLS = 100;

export interface CallStore {
  ownerOf(callId: string): Promise<string | undefined>;
  read(callId: string, userDid: string): Promise<CallRecord | undefined>;
  /** Undefined when the call belongs to another user. An ended call stays ended, even with concurrent writers. `now`: ISO 8601. */
  write(call: CallRecord, now: string): Promise<CallRecord | undefined>;
  /** Oldest first. */
  ofSession(sessionId: string, userDid: string): Promise<readonly CallRecord[]>;
  /** Separates the user from their calls, which no other user can take over. */
  disown(userDid: string): Promise<void>;
}

/** `storageOf` is called with the DIDs of callers and of calls; a call's DID is a digest and names no user. */
export function createCallStore(storageOf: (did: string) => Pick<UserStorage, "kv">): CallStore {
  const kvOfCall = (digest: string): PluginKv => storageOf(`did:call:${digest}`).kv;

  async function ownerBy(digest: string): Promise<string | undefined> {
    const owner = await kvOfCall(digest).get("owner");
    return typeof owner === "string" ? owner : undefined;
  }

  async function readBy(digest: string, userDid: string): Promise<CallRecord | undefined> {
    const { kv } = storageOf(userDid);
    const [stored, ended] = await Promise.all([kv.get(recordKey(digest)), kv.get(endedKey(digest))]);
    const parsed = callRecord.safeParse(stored);
    if (!parsed.success) return undefined;
    const end = z.string().safeParse(ended);
    return end.success ? { ...parsed.data, callStatus: "ended", callEndedAt: end.data } : parsed.data;
  }

  return {
    ownerOf: async (callId) => ownerBy(await sha256Hex(callId)),
    read: async (callId, userDid) => readBy(await sha256Hex(callId), userDid),
    async write(call, now) {
      const { userDid, sessionId } = call;
      const { kv } = storageOf(userDid);
      const digest = await sha256Hex(call.callId);
      const stored = await readBy(digest, userDid);
      const owner = stored === undefined ? await ownerBy(digest) : userDid;
      if (owner !== undefined && owner !== userDid) return undefined;
      // Written before the claim, so that a user at a limit leaves no claims.
      await withRoom(kv, () => kv.set(recordKey(digest), asJson(call)));
      if (owner === undefined && !(await claim(digest, userDid))) {
        await kv.delete(recordKey(digest));
        return undefined;
      }
      // A separate value that is never deleted: a write that read the record before the end cannot undo it.
      if (call.callStatus === "ended")
        await withRoom(kv, () => kv.setIfAbsent(endedKey(digest), call.callEndedAt ?? now));
      if (sessionId !== undefined && sessionId !== stored?.sessionId)
        await withRoom(kv, () => kv.set(`${sessionPrefix(sessionId)}${now}/${digest}`, true));
      return readBy(digest, userDid);
    },
    async ofSession(sessionId, userDid) {
      const { kv } = storageOf(userDid);
      const keys = await allKeys(kv, sessionPrefix(sessionId));
      const digests = [...new Set(keys.map(lastPart))].slice(-LISTED_CALLS);
      const calls = await Promise.all(digests.map((digest) => readBy(digest, userDid)));
      return calls.filter((call) => call !== undefined).filter((call) => call.sessionId === sessionId);
    },
    async disown(userDid) {
      for (const key of await allKeys(storageOf(userDid).kv, recordKey(""))) {
        const digest = lastPart(key);
        if ((await ownerBy(digest)) === userDid) await kvOfCall(digest).set("owner", ERASED);
      }
    },
  };

  async function claim(digest: string, userDid: string): Promise<boolean> {
    return (await kvOfCall(digest).setIfAbsent("owner", userDid)) || (await ownerBy(digest)) === userDid;
  }
}

/** The owner of an erased user's call; not a DID. */
const ERASED = "erased";

const recordKey = (digest: string): string => `call/${digest}`;
const endedKey = (digest: string): string => `ended/${digest}`;
const SESSIONS = "session/";
/** The time of the first sync and the call's digest follow. */
const sessionPrefix = (sessionId: string): string => `${SESSIONS}${sessionId}/`;

/** Makes the write; if the user's storage is full, deletes the oldest calls first. */
async function withRoom(kv: PluginKv, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (thrown) {
    if (!(thrown instanceof KvLimitError)) throw thrown;
    await forgetOldest(kv);
    await write();
  }
}

/** Deletes ended calls first, including calls without a session, and then the calls with the oldest first sync. */
async function forgetOldest(kv: PluginKv): Promise<void> {
  const [records, ends, mentions] = [
    await allKeys(kv, recordKey("")),
    new Set((await allKeys(kv, endedKey(""))).map(lastPart)),
    await allKeys(kv, SESSIONS),
  ];
  const mentionOf = new Map(mentions.map((key) => [lastPart(key), key]));
  const timeOf = (digest: string): string => mentionOf.get(digest)?.split("/").at(-2) ?? "";
  const rank = (digest: string): string => `${ends.has(digest) ? 0 : 1} ${timeOf(digest)}`;
  const oldest = records
    .map(lastPart)
    .toSorted((one, two) => (rank(one) < rank(two) ? -1 : 1))
    .slice(0, FORGOTTEN_CALLS);
  const forgotten = new Set(oldest);
  const keys = [
    ...oldest.flatMap((digest) => [recordKey(digest), endedKey(digest)]),
    ...mentions.filter((key) => forgotten.has(lastPart(key))),
  ];
  for (const key of keys) await kv.delete(key);
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

async function allKeys(kv: PluginKv, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await kv.list(prefix, cursor);
    keys.push(...page.keys);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return keys;
}

function asJson(call: CallRecord): JsonValue {
  return JSON.parse(JSON.stringify(call)) as JsonValue;
}
