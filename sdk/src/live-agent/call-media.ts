/**
 * The media of calls: one LiveKit room with end-to-end encryption under a shared key. Only this file imports LiveKit,
 * and it loads when the first call starts.
 */
import {
  ConnectionState,
  DeviceUnsupportedError,
  ExternalE2EEKeyProvider,
  isE2EESupported,
  Room,
  RoomEvent,
} from "livekit-client";
import type { CallToken } from "./call-token.ts";

/** Events of the room. The user sees errors as a title and a sentence. */
export interface MediaEvents {
  onConnected(): void;
  onDisconnected(): void;
  onTrouble(title: string, error: Error): void;
}

export interface CallMedia {
  readonly room: Room;
  /** Encrypts with the key, connects, and then switches the microphone on. Without encryption, it does not connect. */
  join(token: CallToken, key: string): Promise<void>;
  /** Disconnects and overwrites the key. */
  leave(): Promise<void>;
  /** Stops the encryption worker. The room cannot be used again. */
  dispose(): void;
}

/** Milliseconds for the worker to load and to respond. */
const WORKER_TIME_MS = 15_000;

/**
 * Milliseconds for the connection with its retries. If the address is not a media server, LiveKit may retry forever.
 */
const CONNECT_TIME_MS = 60_000;

/** The storage key under which pages store the user's microphone. */
const MICROPHONE = "audioinput_device_id";

/** Throws if the browser has no end-to-end encryption. */
export function openMedia(events: MediaEvents, createWorker: () => Worker = defaultWorker): CallMedia {
  if (!isE2EESupported())
    throw new DeviceUnsupportedError("This browser does not support end-to-end encryption of calls");
  const worker = createWorker();
  const ready = answerOf(worker);
  // A joining call awaits this promise. Until then, its rejection is ignored.
  ready.catch(() => undefined);
  const keyProvider = new ExternalE2EEKeyProvider();
  // Not `encryption`, which also encrypts data messages: existing agents cannot decrypt those.
  const room = new Room({ e2ee: { keyProvider, worker }, adaptiveStream: true, dynacast: true });
  room.on(RoomEvent.Connected, () => events.onConnected());
  room.on(RoomEvent.Disconnected, () => events.onDisconnected());
  room.on(RoomEvent.MediaDevicesError, (error) => events.onTrouble("Microphone or camera", error));
  room.on(RoomEvent.EncryptionError, (error) => events.onTrouble("Encryption", error));

  return {
    room,
    async join({ url, jwt }, key) {
      await ready;
      await keyProvider.setKey(key);
      await room.setE2EEEnabled(true);
      await inTime(room.connect(url, jwt));
      // A user may block the microphone and still listen. The room reports it.
      await room.localParticipant
        .setMicrophoneEnabled(true, chosenMicrophone(), { preConnectBuffer: true })
        .catch(() => undefined);
      if (room.state !== ConnectionState.Connected) throw new Error("The connection was lost");
    },
    async leave() {
      await room.disconnect();
      await keyProvider.setKey(crypto.getRandomValues(new Uint8Array(32)).buffer);
    },
    dispose: () => worker.terminate(),
  };
}

function defaultWorker(): Worker {
  return new Worker(new URL("livekit-client/e2ee-worker", import.meta.url));
}

/** Resolves with the worker's first message, its response to LiveKit's first message. */
function answerOf(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error("The encryption worker for calls could not be started"));
    const timer = setTimeout(failed, WORKER_TIME_MS);
    worker.addEventListener("message", () => resolve(), { once: true });
    worker.addEventListener("error", failed, { once: true });
    worker.addEventListener("message", () => clearTimeout(timer), { once: true });
  });
}

/** After the time limit, the code that ends the call discards a late connection. */
async function inTime(connected: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("The media server did not answer in time")), CONNECT_TIME_MS);
  });
  await Promise.race([connected, tooLate]).finally(() => clearTimeout(timer));
}

function chosenMicrophone(): { readonly deviceId: string } | undefined {
  try {
    const deviceId = localStorage.getItem(MICROPHONE);
    return deviceId === null ? undefined : { deviceId };
  } catch {
    return undefined;
  }
}
