/** The entry `@twinedge/sdk/live-agent`: voice and video calls with an oracle. */
export { useLiveAgent } from "./use-live-agent.ts";
export type { CallParams, StartedCall } from "./set-up-call.ts";
export type { CallMatrixClient, LiveAgentOverrides, ToastFn, UseLiveAgentResult } from "./use-live-agent.ts";
