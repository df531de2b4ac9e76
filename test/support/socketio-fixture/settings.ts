/** The settings that the official protocol suites are written for. */
import { socketServerDefaults, type SocketServerOptions } from "../../../durable-objects/socketio/options.ts";

export const suiteSettings: SocketServerOptions = {
  ...socketServerDefaults,
  pingIntervalMs: 300,
  pingTimeoutMs: 200,
  // The suites measure each socket by itself.
  pingTogetherMs: 0,
  connectTimeoutMs: 1_000,
  maxPayload: 1_000_000,
  namespaces: ["/", "/custom"],
  // The answer to CONNECT has a `sid` and nothing else.
  recovery: undefined,
};

/** Pings are frequent, so that a test need not wait for one, and may be answered late, so that none is a matter of speed. */
export const patientSettings: SocketServerOptions = {
  ...suiteSettings,
  pingIntervalMs: 500,
  pingTimeoutMs: 60_000,
  connectTimeoutMs: 60_000,
  recovery: socketServerDefaults.recovery,
};
