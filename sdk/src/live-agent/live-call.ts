/**
 * Consecutive calls with an oracle, without React: the key, the announcement in the Matrix room, the oracle's record,
 * the media, and the end. If a call fails or is cancelled, it is ended everywhere and its key is deleted.
 */
import type { Room } from "livekit-client";
import type { CallMedia, MediaEvents } from "./call-media.ts";
import type { CallParams, LiveCallParts, LiveCallState, OngoingCall, StartedCall } from "./set-up-call.ts";
import { createWaitingRoom } from "./waiting-room.ts";

export interface LiveCall {
  subscribe(listener: () => void): () => void;
  getState(): LiveCallState;
  /** Rejects if the call could not be set up or was ended during the setup. The call is then over. */
  call(params: CallParams): Promise<StartedCall>;
  /** Resolves when the media is disconnected and the oracle is informed. Without a call, it does nothing. */
  end(): Promise<void>;
  /** Ends the call and releases the media. A later call starts from the beginning. */
  dispose(): Promise<void>;
}

const IDLE = { sessionStarted: false, sessionViewVisible: false, isConnecting: false };

export function createLiveCall(parts: LiveCallParts): LiveCall {
  const listeners = new Set<() => void>();
  let media: Promise<CallMedia> | undefined;
  let current: OngoingCall | undefined;
  let waiting = createWaitingRoom(loadRoom);
  let state: LiveCallState = { room: waiting.room, ...IDLE };

  function set(change: Partial<LiveCallState>): void {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  }

  const events: MediaEvents = {
    onConnected() {
      if (current?.ending === undefined) set({ sessionViewVisible: true, isConnecting: false });
    },
    // The other side, the page or the network ended the call. During the setup, the setup's own error is more useful.
    onDisconnected() {
      if (current?.joined === true) end(current).catch(() => undefined);
    },
    onTrouble: (title, error) => parts.toast({ title, description: error.message }),
  };

  function loadMedia(): Promise<CallMedia> {
    if (media !== undefined) return media;
    const opening = parts.openMedia(events).then((opened) => {
      if (media !== opening) return opened;
      waiting.handOver(opened.room);
      set({ room: opened.room });
      return opened;
    });
    media = opening;
    opening.catch(() => {
      if (media === opening) media = undefined;
    });
    return opening;
  }

  async function loadRoom(): Promise<Room> {
    return (await loadMedia()).room;
  }

  function tell(callId: string, action: "sync" | "update", body: object): Promise<unknown> {
    return parts.tellOracle(
      action === "sync" ? "POST" : "PATCH",
      `/calls/${encodeURIComponent(callId)}/${action}`,
      body,
    );
  }

  /** Runs once per call. Rejects if the oracle could not be informed. */
  function end(call: OngoingCall): Promise<void> {
    call.ending ??= (async () => {
      call.key = "";
      set(IDLE);
      const opened = await media?.catch(() => undefined);
      await opened?.leave().catch(() => undefined);
      if (current === call) current = undefined;
      if (call.known === undefined) return;
      // The oracle must receive the record of the call before its end.
      await call.known.synced.catch(() => undefined);
      const ended = { callStatus: "ended", callEndedAt: new Date().toISOString() };
      await tell(call.known.id, "update", ended);
    })();
    return call.ending;
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getState: () => state,
    async call(params) {
      if (current !== undefined) throw new Error("A call is already running: end it before you start another");
      const call: OngoingCall = { key: "", known: undefined, joined: false, ending: undefined };
      current = call;
      try {
        const { setUpCall } = await import("./set-up-call.ts");
        return await setUpCall(call, params, { parts, loadMedia, set, tell });
      } catch (error) {
        const unwanted = call.ending !== undefined;
        await end(call).catch(() => undefined);
        if (!unwanted) parts.toast({ title: "The call could not be started", description: messageOf(error) });
        throw error;
      }
    },
    end: () => (current === undefined ? Promise.resolve() : end(current)),
    async dispose() {
      const opened = media;
      if (current !== undefined) await end(current).catch(() => undefined);
      // The media was never loaded, or another caller has disposed of it.
      if (opened === undefined || media !== opened) return;
      media = undefined;
      waiting = createWaitingRoom(loadRoom);
      set({ room: waiting.room, ...IDLE });
      await opened.then((open) => open.dispose()).catch(() => undefined);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
