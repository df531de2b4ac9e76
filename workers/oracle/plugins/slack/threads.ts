/**
 * What is kept of a thread: whose conversation it is, and which events have been dealt with. Each thread has a store of its own,
 * under a DID of its own, so that no object serves them all.
 */
import type { UserStorage } from "../../framework/context.ts";
import { KvLimitError, type PluginKv } from "../../framework/storage.ts";
import type { SlackMessage } from "./events.ts";

type InThread = Pick<SlackMessage, "team" | "channel" | "thread">;

export interface SlackThread {
  /** Whose conversation it is; undefined when the oracle takes no part in the thread. */
  owner(): Promise<string | undefined>;
  /** The same; the first one to ask becomes the owner. */
  ownerOrFirst(did: string): Promise<string>;
  wasHandled(message: SlackMessage): Promise<boolean>;
  handled(message: SlackMessage): Promise<void>;
  /** Whether this is the first refusal of the message, which is posted. */
  mayPostRefusal(message: SlackMessage): Promise<boolean>;
}

export function userDid({ team, user }: Pick<SlackMessage, "team" | "user">): string {
  return `did:slack:${team}:${user}`;
}

/** Names the session, among those of its owner. */
export function sessionName({ team, channel, thread }: InThread): string {
  return `${team}:${channel}:${thread}`;
}

/** `storageOf` is given DIDs that Slack's signature has proven, of which the thread is one. */
export function openThread(of: InThread, storageOf: (did: string) => Pick<UserStorage, "kv">): SlackThread {
  const { kv } = storageOf(`did:slack:${sessionName(of)}`);
  return {
    owner: () => ownerIn(kv),
    async ownerOrFirst(did) {
      if (await kv.setIfAbsent("owner", did)) return did;
      return (await ownerIn(kv)) ?? did;
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

async function ownerIn(kv: PluginKv): Promise<string | undefined> {
  const owner = await kv.get("owner");
  return typeof owner === "string" ? owner : undefined;
}

function eventKey({ app, team, eventId }: SlackMessage): string {
  return `event/${app}/${team}/${eventId}`;
}
