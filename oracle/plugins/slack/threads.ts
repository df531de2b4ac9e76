/**
 * The stored state of a thread: who started it, and which events were handled. Each thread has a separate store under its own DID,
 * so that no object serves them all; in a channel, this DID is also the user of the thread's turns.
 */
import type { UserStorage } from "../../framework/context.ts";
import { KvLimitError, type PluginKv } from "../../framework/storage.ts";
import type { SlackMessage } from "./events.ts";

type InThread = Pick<SlackMessage, "team" | "channel" | "thread">;

export interface SlackThread {
  /** The first person who addressed the oracle in the thread; undefined when the oracle does not take part. */
  starter(): Promise<string | undefined>;
  /** Returns the starter; the first caller becomes it. */
  starterOrFirst(did: string): Promise<string>;
  wasHandled(message: SlackMessage): Promise<boolean>;
  handled(message: SlackMessage): Promise<void>;
  /** Whether this is the message's first refusal, which is posted. */
  mayPostRefusal(message: SlackMessage): Promise<boolean>;
}

export function userDid({ team, user }: Pick<SlackMessage, "team" | "user">): string {
  return `did:slack:${team}:${user}`;
}

export function threadDid(of: InThread): string {
  return `did:slack:${sessionName(of)}`;
}

/** Names the session among its owner's sessions. */
export function sessionName({ team, channel, thread }: InThread): string {
  return `${team}:${channel}:${thread}`;
}

/** `storageOf` is called with DIDs that Slack's signature has proven, including the thread's. */
export function openThread(of: InThread, storageOf: (did: string) => Pick<UserStorage, "kv">): SlackThread {
  const { kv } = storageOf(threadDid(of));
  return {
    starter: () => starterIn(kv),
    async starterOrFirst(did) {
      if (await kv.setIfAbsent(STARTER, did)) return did;
      return (await starterIn(kv)) ?? did;
    },
    wasHandled: async (message) => (await kv.get(eventKey(message))) !== undefined,
    async handled(message) {
      try {
        await kv.set(eventKey(message), true);
      } catch (thrown) {
        // In a thread of thousands of messages, each is still answered once, by its own timestamp.
        if (!(thrown instanceof KvLimitError)) throw thrown;
      }
    },
    mayPostRefusal: ({ ts }) => kv.setIfAbsent(`refusal/${ts}`, true),
  };
}

/** The key of an earlier version, in which the whole thread belonged to the starter. */
const STARTER = "owner";

async function starterIn(kv: PluginKv): Promise<string | undefined> {
  const starter = await kv.get(STARTER);
  return typeof starter === "string" ? starter : undefined;
}

/**
 * The start of the keys of threads in the store of a person who wrote in them: threads of a channel, and direct
 * messages.
 */
const WROTE_IN = "thread/";
const SHARED = `${WROTE_IN}shared/`;
const OWN = `${WROTE_IN}own/`;

/** Notes a thread, so that the person's erasure reaches it. */
export async function noteThread(kv: PluginKv, of: InThread, isShared: boolean): Promise<void> {
  try {
    await kv.setIfAbsent((isShared ? SHARED : OWN) + sessionName(of), true);
  } catch (thrown) {
    if (!(thrown instanceof KvLimitError)) throw thrown;
  }
}

/** Threads that one receipt names. */
const NAMED_THREADS = 100;

/**
 * Separates an erased person from the threads that they started. Returns the DIDs of the threads of channels that they wrote in:
 * these belong to everyone who writes there.
 */
export async function leaveThreads(
  person: string,
  storageOf: (did: string) => Pick<UserStorage, "kv">,
): Promise<{ readonly named: readonly string[]; readonly count: number }> {
  const named: string[] = [];
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await storageOf(person).kv.list(WROTE_IN, cursor);
    for (const key of page.keys) {
      const thread = `did:slack:${key.slice((key.startsWith(SHARED) ? SHARED : OWN).length)}`;
      const { kv } = storageOf(thread);
      // From now on, everyone must mention the oracle: only the starter could write without a mention.
      if ((await starterIn(kv)) === person) await kv.set(STARTER, thread);
      if (!key.startsWith(SHARED)) continue;
      count += 1;
      if (named.length < NAMED_THREADS) named.push(thread);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { named, count };
}

function eventKey({ app, team, eventId }: SlackMessage): string {
  return `event/${app}/${team}/${eventId}`;
}
