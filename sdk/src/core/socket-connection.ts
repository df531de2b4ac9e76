/**
 * A persistent Socket.IO connection. It signs in with fresh tokens at each attempt, reconnects after a loss, renews
 * refused tokens, and stops if a retry makes no sense. socket.ts defines its events.
 */
import { Manager, type Socket } from "socket.io-client";
import { errorOf, RequestError } from "./errors.ts";
import { afterRefusal, delayAfter, readRefusal, statusOf, wasStable } from "./socket-refusal.ts";
import type { SentTokens, Tokens } from "./tokens.ts";

export interface ConnectionOptions {
  readonly query: Readonly<Record<string, string>>;
  /** `isLost`: the last attempt reached no server. */
  readonly socketUrl: (isLost: boolean) => Promise<string>;
  readonly tokens: Tokens;
  /** @param recovered the same socket is connected again and receives the events that it missed. */
  onOpen(recovered: boolean): void;
  onLost(): void;
  /** The connection stays closed until `wake`. */
  onRefused(refusal: Error): void;
  onEvent(name: string, payload: unknown): void;
}

export interface SocketConnection {
  /** Undefined while disconnected. */
  id(): string | undefined;
  /** Sends an event. Returns false, without sending, while disconnected. */
  send(name: string, payload?: object): boolean;
  wake(): void;
  close(): void;
}

/** Milliseconds for an attempt to connect, from the first byte to the oracle's response. */
const CONNECT_LIMIT_MS = 20_000;
/** Milliseconds within which the oracle must answer `ping`. After that, the connection counts as lost. */
const PONG_LIMIT_MS = 5000;
export function connectSocket(options: ConnectionOptions): SocketConnection {
  const { tokens } = options;
  let socket: Socket | undefined;
  let state: "away" | "attempting" | "open" | "closed" = "away";
  /** The timer that ends an attempt, starts the next one, or ends the wait for a pong. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempts = 0;
  let failures = 0;
  /** The renewal stage of the refused tokens. */
  let stage: 0 | 1 | 2 = 0;
  let auth: SentTokens = {};
  let openedAt = 0;

  function later(action: () => void, ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      action();
    }, ms);
  }

  function tryLater(ms = delayAfter(failures, Math.random())): void {
    if (state === "closed") return;
    state = "away";
    failures += 1;
    later(() => void connect(), ms);
  }

  function stop(thrown: unknown): void {
    if (state === "closed") return;
    state = "away";
    clearTimeout(timer);
    timer = undefined;
    options.onRefused(errorOf(thrown));
  }

  async function connect(): Promise<void> {
    if (state !== "away") return;
    state = "attempting";
    clearTimeout(timer);
    timer = undefined;
    attempts += 1;
    const attempt = attempts;
    const isOver = (): boolean => state !== "attempting" || attempt !== attempts;
    let url: string;
    try {
      url = await options.socketUrl(failures > 0);
    } catch {
      // The address is not known yet, for example without a network. The next attempt asks again.
      if (!isOver()) tryLater();
      return;
    }
    try {
      auth = await tokens.handshake();
    } catch (thrown) {
      if (!isOver()) stop(thrown);
      return;
    }
    if (isOver()) return;
    later(() => {
      socket?.disconnect();
      tryLater();
    }, CONNECT_LIMIT_MS);
    socket ??= listen(newSocket(new URL(url)));
    socket.connect();
  }

  function newSocket({ origin, pathname }: URL): Socket {
    const manager = new Manager(origin, {
      path: `${pathname.replace(/\/+$/, "")}/socket.io/`,
      query: options.query,
      // A websocket connects in two round trips, polling with its upgrade in five. Polling is for networks that block
      // websockets.
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      // Reconnects after a refusal and after a loss are handled here.
      reconnection: false,
      autoConnect: false,
      timeout: CONNECT_LIMIT_MS,
    });
    return manager.socket("/", { auth: (send: (data: object) => void) => send(auth) });
  }

  function listen(opened: Socket): Socket {
    opened.on("connect", () => {
      clearTimeout(timer);
      timer = undefined;
      state = "open";
      stage = 0;
      openedAt = Date.now();
      options.onOpen(opened.recovered);
    });
    opened.on("disconnect", (reason) => {
      if (state === "closed") return;
      const isEnded = reason === "io server disconnect";
      if (state === "open" && wasStable(Date.now() - openedAt, isEnded)) failures = 0;
      if (state === "open") options.onLost();
      tryLater();
    });
    opened.on("connect_error", (error) => {
      if (state !== "attempting") return;
      // Still active: the server did not refuse it but could not be reached.
      if (opened.active) tryLater();
      else void refused(error);
    });
    opened.onAny((name: string, payload: unknown) => {
      if (name === "pong" && state === "open") {
        clearTimeout(timer);
        timer = undefined;
      }
      options.onEvent(name, payload);
    });
    return opened;
  }

  async function refused(error: Error): Promise<void> {
    // The user may need time to sign.
    clearTimeout(timer);
    timer = undefined;
    const refusal = readRefusal(error);
    const next = afterRefusal(refusal);
    if (next === "later") return tryLater();
    try {
      if (next === "renew" && (await renewed())) {
        if (state !== "attempting") return;
        state = "away";
        await connect();
        return;
      }
    } catch (thrown) {
      return stop(thrown);
    }
    stop(new RequestError(refusal.message, { status: statusOf(refusal), ...refusal }));
  }

  async function renewed(): Promise<boolean> {
    while (stage < 2) {
      stage = stage === 0 ? 1 : 2;
      if (await tokens.renew(stage, auth)) return true;
    }
    return false;
  }

  /** A connection can be lost without notice, after sleep or a change of the network. */
  function makeSure(): void {
    if (timer !== undefined) return;
    socket?.emit("ping");
    later(() => {
      socket?.io.engine.close();
      // The engine would wait for unsent packets.
      if (state === "open") socket?.disconnect();
      tryLater(0);
    }, PONG_LIMIT_MS);
  }

  void connect();
  return {
    id: () => (state === "open" ? socket?.id : undefined),
    send(name, payload) {
      if (state !== "open") return false;
      socket?.emit(name, ...(payload === undefined ? [] : [payload]));
      return true;
    },
    wake() {
      if (state === "open") makeSure();
      failures = 0;
      void connect();
    },
    close() {
      state = "closed";
      clearTimeout(timer);
      socket?.disconnect();
    },
  };
}
