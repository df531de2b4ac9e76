/**
 * One look at a chat. As long as somebody listens, what it gives changes exactly when the listeners are called: a component
 * that draws in between draws the same again.
 */
import type { ChatSnapshot, ChatView, ViewOptions } from "../chat.ts";
import type { ChatMessage } from "../messages.ts";
import type { Shown } from "./conversation.ts";
import type { Environment } from "./environment.ts";
import { createPacer } from "./pacing.ts";

/** A state of the chat; the same object as long as nothing changed. */
export interface ChatMoment {
  readonly snapshot: ChatSnapshot;
  readonly shown: Shown;
}

export interface ManagedView extends ChatView {
  streamed(): void;
  flush(): void;
}

interface Watched {
  message: ChatMessage | undefined;
  readonly listeners: Set<() => void>;
}

export function createView(
  latest: () => ChatMoment,
  options: ViewOptions,
  environment: Environment,
  /** Called as the first listener comes and the last one goes. */
  onListening: (isListening: boolean) => void,
): ManagedView {
  const listeners = new Set<() => void>();
  const watched = new Map<string, Watched>();
  let published: ChatMoment | undefined;
  let index: { readonly of: readonly ChatMessage[]; readonly byId: ReadonlyMap<string, ChatMessage> } | undefined;
  const pacer = createPacer(options, environment, publish);

  const isListening = (): boolean => listeners.size > 0 || watched.size > 0;
  const current = (): ChatMoment => (isListening() && published !== undefined ? published : latest());

  function publish(): void {
    const next = latest();
    const before = published;
    published = next;
    if (next === before) return;
    for (const listener of Array.from(listeners)) listener();
    for (const id of changedIds(before?.shown, next.shown)) {
      const entry = watched.get(id);
      const message = entry === undefined ? undefined : find(next, id);
      if (entry === undefined || entry.message === message) continue;
      entry.message = message;
      for (const listener of Array.from(entry.listeners)) listener();
    }
  }

  /** The messages that may have changed: while only a stream goes on, those of its turn. */
  function changedIds(before: Shown | undefined, next: Shown): Iterable<string> {
    if (before?.stored !== next.stored) return [...watched.keys()];
    return new Set([...before.local, ...next.local].map(({ id }) => id));
  }

  function find({ shown }: ChatMoment, id: string): ChatMessage | undefined {
    const local = shown.local.find((message) => message.id === id);
    if (local !== undefined) return local;
    if (index?.of !== shown.stored) {
      index = { of: shown.stored, byId: new Map(shown.stored.map((message) => [message.id, message])) };
    }
    return index.byId.get(id);
  }

  function starting(): void {
    if (isListening()) return;
    published = latest();
    onListening(true);
  }

  function ending(): void {
    if (isListening()) return;
    pacer.stop();
    published = undefined;
    onListening(false);
  }

  return {
    streamed: pacer.streamed,
    flush: pacer.flush,
    getSnapshot: () => current().snapshot,
    getMessage: (id) => find(current(), id),
    subscribe(listener) {
      starting();
      // Wrapped: the same function may listen twice.
      const own = (): void => listener();
      listeners.add(own);
      return () => {
        if (listeners.delete(own)) ending();
      };
    },
    subscribeToMessage(id, listener) {
      starting();
      const entry = watched.get(id) ?? { message: find(current(), id), listeners: new Set() };
      watched.set(id, entry);
      const own = (): void => listener();
      entry.listeners.add(own);
      return () => {
        if (!entry.listeners.delete(own)) return;
        if (entry.listeners.size === 0) watched.delete(id);
        ending();
      };
    },
  };
}
