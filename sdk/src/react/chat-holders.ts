/** The components that hold a chat: it goes on as long as one of them is there, and calls back the right one. */
import type { Chat } from "../core/chat.ts";

export interface ChatHolder {
  onPaymentRequired(claimIds: string[]): void;
  onInvalidated(): void;
}

interface Holders {
  readonly all: Set<ChatHolder>;
  /** Who sent last: a payment that is due is said to them, and to all when it is not known whose message it is for. */
  sender: ChatHolder | undefined;
}

const holdersOf = new WeakMap<Chat, Holders>();

/**
 * Keeps the chat going until the returned function is called. A component that React mounts again in the same moment (StrictMode)
 * finds its stream and its socket as they were.
 */
export function holdChat(chat: Chat, holder: ChatHolder): () => void {
  const holders = holdersOf.get(chat) ?? open(chat);
  holders.all.add(holder);
  const release = chat.retain();
  return () => {
    holders.all.delete(holder);
    if (holders.sender === holder) holders.sender = undefined;
    release();
  };
}

export function noteSender(chat: Chat, holder: ChatHolder): void {
  const holders = holdersOf.get(chat);
  if (holders?.all.has(holder) === true) holders.sender = holder;
}

function open(chat: Chat): Holders {
  const holders: Holders = { all: new Set(), sender: undefined };
  holdersOf.set(chat, holders);
  chat.setCallbacks({
    onPaymentRequired(claimIds) {
      const { all, sender } = holders;
      for (const holder of sender === undefined ? [...all] : [sender]) holder.onPaymentRequired(claimIds);
    },
    onInvalidated() {
      // One for all: they read the same lists.
      const [holder] = holders.all;
      holder?.onInvalidated();
    },
  });
  return holders;
}
