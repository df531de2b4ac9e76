/**
 * What is kept of a thread: who began it, and which events have been dealt with. Each thread has a store of its own, under a DID of
 * its own, so that no object serves them all; in a channel that DID is also the user of the thread's turns.
 */
import type { UserStorage } from "../../framework/context.ts";
import { KvLimitError, type PluginKv } from "../../framework/storage.ts";
import type { SlackMessage } from "./events.ts";

type InThread = Pick<SlackMessage, "team" | "channel" | "thread">;

export interface SlackThread {
  /** Who first spoke to the oracle in it; undefined when the oracle takes no part in the thread. */
  starter(): Promise<string | undefined>;
  /** The same; the first one to ask becomes the starter. */
  starterOrFirst(did: string): Promise<string>;
  wasHandled(message: SlackMessage): Promise<boolean>;
  handled(message: SlackMessage): Promise<void>;
  /** Whether this is the first refusal of the message, which is posted. */
  mayPostRefusal(message: SlackMessage): Promise<boolean>;
}

export function userDid({ team, user }: Pick<SlackMessage, "team" | "user">): string {
  return `did:slack:${team}:${user}`;
}

export function threadDid(of: InThread): string {
  return `did:slack:${sessionName(of)}`;
}

/** Names the session, among those of its owner. */
export function sessionName({ team, channel, thread }: InThread): string {
  return `${team}:${channel}:${thread}`;
}

/** `storageOf` is given DIDs that Slack's signature has proven, of which the thread is one. */
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
        // A thread of thousands of messages; each is still answered once, by its own timestamp.
        if (!(thrown instanceof KvLimitError)) throw thrown;
      }
    },
    mayPostRefusal: ({ ts }) => kv.setIfAbsent(`refusal/${ts}`, true),
  };
}

/** Named by an earlier version, in which the whole thread was theirs. */
const STARTER = "owner";

async function starterIn(kv: PluginKv): Promise<string | undefined> {
  const starter = await kv.get(STARTER);
  return typeof starter === "string" ? starter : undefined;
}

function eventKey({ app, team, eventId }: SlackMessage): string {
  return `event/${app}/${team}/${eventId}`;
}
