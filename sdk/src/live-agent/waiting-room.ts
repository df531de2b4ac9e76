/**
 * A stand-in for the room of calls until LiveKit is loaded: an empty, disconnected room. Listeners and handlers that an
 * application adds to it are added to the real room when that exists. Operations that need a real room load LiveKit
 * first.
 */
import type { Room } from "livekit-client";

export interface WaitingRoom {
  readonly room: Room;
  /** Repeats the recorded setup on the real room, in order. From then on, all calls go to the real room. */
  handOver(room: Room): void;
}

type Members = Record<string, unknown>;
type Method = (...args: unknown[]) => unknown;

/** Recorded and repeated on the real room. They return the emitter itself, or nothing. */
const LISTENING = ["on", "once", "off", "addListener", "removeListener", "removeAllListeners", "prependListener"];
const HANDLERS = [
  "registerTextStreamHandler",
  "unregisterTextStreamHandler",
  "registerByteStreamHandler",
  "unregisterByteStreamHandler",
  "registerRpcMethod",
  "unregisterRpcMethod",
];
/** These need a real room. */
const ACTIONS = [
  "connect",
  "startAudio",
  "startVideo",
  "switchActiveDevice",
  "prepareConnection",
  "setE2EEEnabled",
  "getSid",
];
/** The operations of the participant. */
const PARTICIPANT_ACTIONS = [
  "setMicrophoneEnabled",
  "setCameraEnabled",
  "setScreenShareEnabled",
  "publishData",
  "publishTrack",
  "unpublishTrack",
  "sendText",
  "setMetadata",
  "setAttributes",
  "setName",
  "performRpc",
];

/** `load` resolves to the real room, after the hand-over. */
export function createWaitingRoom(load: () => Promise<Room>): WaitingRoom {
  const participant = createStandIn(
    {
      identity: "",
      sid: "",
      name: undefined,
      metadata: undefined,
      attributes: {},
      isLocal: true,
      isSpeaking: false,
      isMicrophoneEnabled: false,
      isCameraEnabled: false,
      isScreenShareEnabled: false,
      isEncrypted: false,
      trackPublications: new Map(),
      audioTrackPublications: new Map(),
      videoTrackPublications: new Map(),
      getTrackPublication: () => undefined,
      getTrackPublications: () => [],
    },
    { repeated: [...LISTENING, ...HANDLERS], actions: PARTICIPANT_ACTIONS },
    async () => asMembers((await load()).localParticipant),
  );
  const room = createStandIn(
    {
      state: "disconnected",
      name: "",
      metadata: undefined,
      isE2EEEnabled: false,
      isRecording: false,
      canPlaybackAudio: true,
      canPlaybackVideo: true,
      numParticipants: 0,
      numPublishers: 0,
      activeSpeakers: [],
      remoteParticipants: new Map(),
      localParticipant: participant.object,
      disconnect: async () => undefined,
      getParticipantByIdentity: () => undefined,
      getActiveDevice: () => undefined,
    },
    { repeated: [...LISTENING, ...HANDLERS], actions: ACTIONS },
    async () => asMembers(await load()),
  );
  return {
    room: room.object as unknown as Room,
    handOver(real) {
      room.handOver(asMembers(real));
      participant.handOver(asMembers(real.localParticipant));
    },
  };
}

/** `values` are the members until the hand-over. */
function createStandIn(
  values: Members,
  methods: { readonly repeated: readonly string[]; readonly actions: readonly string[] },
  load: () => Promise<Members>,
): { readonly object: Members; handOver(real: Members): void } {
  const done: { readonly name: string; readonly args: unknown[] }[] = [];
  let real: Members | undefined;
  const object: Members = {};

  function define(name: string, waiting: unknown): void {
    Object.defineProperty(object, name, {
      enumerable: true,
      get() {
        const value = real?.[name];
        return real === undefined ? waiting : typeof value === "function" ? (value as Method).bind(real) : value;
      },
    });
  }
  for (const [name, value] of Object.entries(values)) define(name, value);
  for (const name of methods.repeated)
    define(name, (...args: unknown[]) => {
      done.push({ name, args });
      return LISTENING.includes(name) ? object : undefined;
    });
  for (const name of methods.actions)
    define(name, async (...args: unknown[]) => {
      const loaded = await load();
      return call(loaded, name, args);
    });
  return {
    object,
    handOver(given) {
      real = given;
      for (const { name, args } of done.splice(0)) call(given, name, args);
    },
  };
}

function call(members: Members, name: string, args: unknown[]): unknown {
  return (members[name] as Method).apply(members, args);
}

function asMembers(object: object): Members {
  return object as Members;
}
