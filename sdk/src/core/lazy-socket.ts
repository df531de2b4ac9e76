/**
 * A session's socket whose code is loaded with the first chat: with the Socket.IO client it is larger than the rest of the core.
 * Until then it is a socket that is not connected.
 */
import type { SessionSocket, SocketOptions } from "./socket.ts";

/** Milliseconds before code that could not be loaded, as without a network, is asked for again. */
const LOAD_AGAIN_MS = 5000;

export function openLazySocket(options: SocketOptions): SessionSocket {
  const openedAt = Date.now();
  let socket: SessionSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLoading = false;
  let isClosed = false;

  async function load(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    clearTimeout(timer);
    try {
      const { openSessionSocket } = await import("./socket.ts");
      if (!isClosed) socket = openSessionSocket({ ...options, openedAt });
    } catch {
      isLoading = false;
      if (!isClosed) timer = setTimeout(() => void load(), LOAD_AGAIN_MS);
    }
  }

  void load();
  return {
    id: () => socket?.id(),
    answer: (toolCallId, result) => socket?.answer(toolCallId, result) ?? false,
    wake() {
      if (socket === undefined) void load();
      else socket.wake();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
