/** The entry `@twinedge/sdk/live-agent`: voice and video calls with an oracle. */
export type { CallParams, StartedCall } from "./live-call.ts";
