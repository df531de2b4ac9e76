/** The steps of the setup of a call. Loaded with the first call. */
import type { Room } from "livekit-client";
import type { CallMedia, MediaEvents } from "./call-media.ts";
import type { CallToken } from "./call-token.ts";

/** The parameter of `callAgent`. */
export interface CallParams {
  readonly callType: "audio" | "video";
  readonly sessionId: string;
  readonly userDid: string;
  readonly agentVoice?: string;
  readonly language?: string;
}

/** The result of `callAgent`. */
export interface StartedCall {
  /** `<event id>@<room id>`. */
  readonly callId: string;
  /** Not enumerable, so that it is not logged or stored with the other members. Empty after the call has ended. */
  readonly encryptionKey: string;
}

export interface LiveCallState {
  readonly room: Room;
  readonly sessionStarted: boolean;
  readonly sessionViewVisible: boolean;
  readonly isConnecting: boolean;
}

/** The dependencies of a call. Each is called when it is needed. */
export interface LiveCallParts {
  /** The Matrix room of the user and the oracle. */
  roomId(): Promise<string>;
  /** The oracle's account on the chain, and its public keys in base58. */
  oracleAccount(): Promise<{ readonly did: string; readonly publicKeys: readonly string[] }>;
  sendEvent(roomId: string, type: string, content: object): Promise<{ readonly event_id: string }>;
  /** Sends a signed request to the oracle. `path` starts with `/`. */
  tellOracle(method: "POST" | "PATCH", path: string, body: object): Promise<unknown>;
  token(callId: string): Promise<CallToken>;
  openMedia(events: MediaEvents): Promise<CallMedia>;
  /** Shows an error to the user. */
  toast(message: { readonly title: string; readonly description: string }): void;
}

export interface OngoingCall {
  key: string;
  /** Set when the oracle is about to be informed: the id of the call, and the request. */
  known: { readonly id: string; readonly synced: Promise<unknown> } | undefined;
  /** The media is connected. */
  joined: boolean;
  /** Set when the call is being ended. */
  ending: Promise<void> | undefined;
}

interface CallSurroundings {
  readonly parts: LiveCallParts;
  loadMedia(): Promise<CallMedia>;
  set(change: Partial<LiveCallState>): void;
  tell(callId: string, action: "sync" | "update", body: object): Promise<unknown>;
}

/** The type of the event that announces a call. */
const CALL_EVENT = "m.ixo.oracles_call";

/** `callAgent` was ended during the setup. */
class CallEnded extends Error {
  override readonly name = "CallEnded";
}

export async function setUpCall(
  call: OngoingCall,
  params: CallParams,
  { parts, loadMedia, set, tell }: CallSurroundings,
): Promise<StartedCall> {
  const step = stepsOf(call);
  const [{ newCallKey, sealCallKey }, opened, roomId, oracle] = await step(() =>
    Promise.all([import("./call-key.ts"), loadMedia(), parts.roomId(), parts.oracleAccount()]),
  );
  call.key = newCallKey();
  const { callType, sessionId, userDid, agentVoice, language } = params;
  const content = {
    callType,
    callStatus: "pending",
    callStartedAt: new Date().toISOString(),
    encryptionKey: sealCallKey(call.key, oracle.publicKeys),
    sessionId,
    oracleDid: oracle.did,
    userDid,
    agentVoice,
    language,
  };
  const { event_id } = await step(() => parts.sendEvent(roomId, CALL_EVENT, content));
  const id = `${event_id}@${roomId}`;
  await step(() => {
    const synced = tell(id, "sync", content);
    call.known = { id, synced };
    return synced;
  });
  set({ sessionStarted: true, isConnecting: true });
  const token = await step(() => parts.token(id));
  await step(() => opened.join(token, call.key));
  call.joined = true;
  const active = { callStatus: "active", callStartedAt: new Date().toISOString() };
  await step(() => tell(id, "update", active));
  return startedCall(id, call);
}

/** Runs a step and waits for it, unless the call has ended before or during the step. */
function stepsOf(call: OngoingCall): <Value>(take: () => Promise<Value>) => Promise<Value> {
  const check = () => {
    if (call.ending !== undefined) throw new CallEnded("The call was ended");
  };
  return async (take) => {
    check();
    const value = await take().catch((error: unknown) => {
      check();
      throw error;
    });
    check();
    return value;
  };
}

/** When the call has ended, the key is deleted here too. */
function startedCall(callId: string, call: OngoingCall): StartedCall {
  const started = { callId, encryptionKey: "" };
  return Object.defineProperty(started, "encryptionKey", { enumerable: false, get: () => call.key });
}
