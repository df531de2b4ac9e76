/**
 * A chat of the SDK's core with the oracle on a port, without a socket. The test controls the page around it: it wakes up, and is
 * closed and reopened over its storage.
 */
import { onTestFinished } from "vitest";
import type { Chat, ChatSnapshot, ChatView } from "../../../sdk/src/core/chat.ts";
import { pageEnvironment } from "../../../sdk/src/core/environment.ts";
import { createMemoryStore } from "../../../sdk/src/core/chat/queue-store.ts";
import type { QueueStore } from "../../../sdk/src/core/client-settings.ts";
import { createChats } from "../../../sdk/src/core/oracle-client.ts";
import type { ClientTools } from "../../../sdk/src/core/client-tools.ts";
import { createHttp } from "../../../sdk/src/core/http.ts";
import type { SessionSocket, SocketHandlers } from "../../../sdk/src/core/socket.ts";
import { clientOfOracle } from "./client-of-oracle.ts";
import type { ManualClock } from "../clocks/manual-clock.ts";
import type { OraclePortOptions } from "../oracle/oracle-on-a-port.ts";

const NO_TOOLS = {
  declarations: () => Promise.resolve({ tools: [], agActions: [] }),
} as unknown as ClientTools;

export interface OpenPage {
  readonly chat: Chat;
  readonly view: ChatView;
  readonly chats: ReturnType<typeof createChats>;
  readonly userDid: string;
  /** The oracle's messages over the socket. */
  readonly socket: () => SocketHandlers;
  /** From now on, the socket accepts answers. */
  connect(): void;
  /** Takes the browser offline, or online again. */
  setOffline(isOffline: boolean): void;
  /** The answers over the socket. */
  readonly answers: unknown[][];
  openSockets(): number;
  /** Resolves with the first snapshot that matches. */
  until(holds: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot>;
  /** Each text that a view saw, in order. */
  readonly texts: string[][];
  wake(): void;
  /** Like closing a page in a browser: all its work ends, and its locks are released. */
  close(): void;
}

export async function sessionOfOracle(port: OraclePortOptions = {}) {
  const { client, oracle, ...rest } = await clientOfOracle(port);
  const { sessionId } = await client.sessions.create();
  const queueStore = createMemoryStore();
  const locks = createLocks();

  /** A page that shows the session; with a socket only if the test plays the oracle's side of it. */
  function open(
    options: {
      readonly userDid?: string;
      readonly store?: QueueStore;
      readonly hasLocks?: boolean;
      /** Replaces the real clock. */
      readonly clock?: ManualClock;
    } = {},
  ): OpenPage {
    const listeners = new Set<() => void>();
    const answers: unknown[][] = [];
    let isConnected = false;
    let isOffline = false;
    const sockets = new Set<SocketHandlers>();
    const page = locks.page();
    const chats = createChats({
      oracleDid: client.oracleDid,
      userDid: options.userDid ?? client.userDid,
      http: createHttp({ endpoints: { apiUrl: oracle.url }, tokens: client.tokens }),
      askAgain: client.tokens.askAgain,
      createTools: () => NO_TOOLS,
      queueStore: options.store ?? queueStore,
      openSocket(_sessionId, _tools, handlers): SessionSocket {
        sockets.add(handlers);
        return {
          id: () => "socket-of-page",
          answer(...answer) {
            if (!isConnected) return false;
            answers.push(answer);
            return true;
          },
          wake: () => {},
          close: () => void sockets.delete(handlers),
        };
      },
      environment: {
        ...pageEnvironment(),
        ...(options.clock !== undefined && { now: options.clock.now, after: options.clock.after }),
        locks: options.hasLocks === false ? undefined : page.locks,
        page: {
          isHidden: () => false,
          isOffline: () => isOffline,
          onWake(listener) {
            listeners.add(listener);
            return () => void listeners.delete(listener);
          },
        },
      },
    });
    const chat = chats.get(sessionId);
    const view = chat.view({ mode: "immediate" });
    const texts: string[][] = [];
    view.subscribe(() => void texts.push(view.getSnapshot().messages.map(({ content }) => content)));
    const close = (): void => {
      chats.dispose();
      page.close();
    };
    onTestFinished(close);
    return {
      chat,
      view,
      chats,
      userDid: options.userDid ?? client.userDid,
      answers,
      connect: () => void (isConnected = true),
      setOffline: (offline) => void (isOffline = offline),
      texts,
      openSockets: () => sockets.size,
      socket() {
        const [handlers] = sockets;
        if (handlers === undefined) throw new Error("no socket is open");
        return handlers;
      },
      wake: () => [...listeners].forEach((listener) => listener()),
      close,
      until: (holds) =>
        new Promise((resolve) => {
          const look = (): void => {
            const snapshot = view.getSnapshot();
            if (!holds(snapshot)) return;
            off();
            resolve(snapshot);
          };
          const off = view.subscribe(look);
          look();
        }),
    };
  }

  return { client, oracle, sessionId, queueStore, open, ...rest };
}

/** Web Locks of one browser: a page's locks are released when it closes. */
function createLocks() {
  const held = new Map<string, Promise<unknown>>();
  return {
    page() {
      const closed = Promise.withResolvers<void>();
      async function request(name: string, options: { readonly signal?: AbortSignal }, work: () => Promise<void>) {
        const before = held.get(name) ?? Promise.resolve();
        const own = Promise.withResolvers<void>();
        held.set(
          name,
          before.then(() => own.promise),
        );
        const aborted = new Promise<void>((resolve) => {
          options.signal?.addEventListener("abort", () => resolve());
        });
        await Promise.race([before, aborted]);
        try {
          if (options.signal?.aborted === true) throw new Error("The wait was ended.");
          await Promise.race([work(), closed.promise]);
        } finally {
          own.resolve();
        }
      }
      return { locks: { request }, close: () => closed.resolve() };
    },
  };
}
