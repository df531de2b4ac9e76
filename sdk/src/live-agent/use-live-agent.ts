/** `useLiveAgent`: voice and video calls with an oracle, with end-to-end encryption. */
"use client";
import { useMutation, type UseMutateAsyncFunction } from "@tanstack/react-query";
import type { Room } from "livekit-client";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { useOraclesParts, useOracleClient } from "../react/oracles-context.ts";
import { runsAlways } from "../react/query-options.ts";
import { useLatest } from "../react/use-latest.ts";
import { useOracleEndpoints } from "../react/use-oracle-endpoints.ts";
import { useSurroundings } from "../react/use-surroundings.ts";
import type { IOpenIDToken } from "../matrix/matrix-rooms.ts";
import { createLiveCall } from "./live-call.ts";
import type { CallParams, StartedCall } from "./set-up-call.ts";

/** A Matrix client that is signed in as the user, such as the client of matrix-js-sdk. */
export interface CallMatrixClient {
  sendEvent(roomId: string, eventType: never, content: never): Promise<{ event_id: string }>;
}

/** Shows the user a short message. */
export type ToastFn = (message: { title: string; description: string }) => void;

/** Overrides for calls. */
export interface LiveAgentOverrides {
  /** The address of the oracle's API. It skips the lookup by DID. */
  baseUrl?: string;
  /**
   * Creates LiveKit's encryption worker (`livekit-client/e2ee-worker`), for bundlers that cannot find it themselves.
   */
  createE2eeWorker?: () => Worker;
}

/** The result of `useLiveAgent`. */
export interface UseLiveAgentResult {
  /** `callAgent` is running. */
  isCalling: boolean;
  /**
   * Calls the oracle and resolves when the user can talk to it. Rejects if the call could not be set up, or if there is
   * already a call. The encryption key is a non-enumerable member, and is empty after the call has ended.
   */
  callAgent: UseMutateAsyncFunction<StartedCall, Error, CallParams>;
  /** The address of the oracle is known. */
  isConfigReady: boolean;
  /** LiveKit's room. Before the first call, it is an empty, disconnected room. */
  room: Room;
  /** A call is connecting or connected. */
  sessionStarted: boolean;
  /** The call is connected. */
  sessionViewVisible: boolean;
  /** Ends the call, even during its setup. Rejects if the oracle could not be informed. */
  endCall: () => Promise<void>;
  isConnecting: boolean;
  /** The call is connected. */
  isReady: boolean;
}

/**
 * Calls an oracle. The page generates the call's key and sends it only in a form encrypted for the oracle. LiveKit
 * loads when the first call starts. When the component unmounts, the call ends.
 *
 * @example
 * const { openIdToken } = useGetOpenIdToken();
 * const { callAgent, endCall, isReady } = useLiveAgent(oracleDid, matrixClient, openIdToken);
 * await callAgent({ callType: "audio", sessionId, userDid, agentVoice: "Puck", language: "en" });
 */
export function useLiveAgent(
  oracleDid: string,
  mxClient: CallMatrixClient,
  openIdToken: IOpenIDToken | undefined,
  toastAlert?: ToastFn,
  overrides: LiveAgentOverrides = {},
): UseLiveAgentResult {
  const { wallet } = useOraclesParts();
  const { baseUrl } = overrides;
  const place = baseUrl === undefined ? {} : { baseUrl };
  const { http } = useOracleClient(oracleDid, place);
  const { apiUrl } = useOracleEndpoints(oracleDid, place);
  const surroundings = useSurroundings(oracleDid);
  const latest = useLatest({ http, surroundings, mxClient, openIdToken, toastAlert, overrides });

  // A call belongs to one user and one oracle.
  const call = useMemo(
    () =>
      createLiveCall({
        async roomId() {
          const roomId = await latest.current.surroundings.roomId();
          if (roomId === null) throw new Error(`There is no room with ${oracleDid} yet: contract the oracle first`);
          return roomId;
        },
        async oracleAccount() {
          const { authzConfig, network } = latest.current.surroundings;
          const { readAccountKeys } = await import("../matrix/chain-records.ts");
          const did = `did:ixo:${(await authzConfig()).granteeAddress}`;
          return { did, publicKeys: await readAccountKeys(network, did) };
        },
        sendEvent: (roomId, type, content) =>
          latest.current.mxClient.sendEvent(roomId, type as never, content as never),
        tellOracle: (method, path, body) => latest.current.http.json(path, { method, body }),
        async token(callId) {
          const { openIdToken: token, surroundings, http } = latest.current;
          if (token === undefined) throw new Error("A call needs a Matrix OpenID token");
          const { requestCallToken } = await import("./call-token.ts");
          const { jwtServiceUrl, defaultJwtServiceUrl } = surroundings.network;
          const source = { jwtServiceUrl, apiUrl: await http.apiUrl(), defaultJwtServiceUrl };
          return requestCallToken(source, callId, token);
        },
        async openMedia(events) {
          const { openMedia } = await import("./call-media.ts");
          return openMedia(events, latest.current.overrides.createE2eeWorker);
        },
        toast: (message) => latest.current.toastAlert?.(message),
      }),
    [latest, oracleDid, wallet.did],
  );
  useEffect(() => () => void call.dispose(), [call]);
  const { room, sessionStarted, sessionViewVisible, isConnecting } = useSyncExternalStore(
    call.subscribe,
    call.getState,
    call.getState,
  );
  // Not cached after the hook unmounts, because the result contains the key during the call.
  const { mutateAsync, isPending } = useMutation({ ...runsAlways, mutationFn: call.call, gcTime: 0 });
  const endCall = useCallback(() => call.end(), [call]);
  return {
    isCalling: isPending,
    callAgent: mutateAsync,
    isConfigReady: apiUrl !== null,
    room,
    sessionStarted,
    sessionViewVisible,
    endCall,
    isConnecting,
    isReady: sessionViewVisible,
  };
}
