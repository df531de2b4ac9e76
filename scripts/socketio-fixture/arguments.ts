/** The command line of `npm run socketio:fixture`. */
import { defineCommand, portOf } from "../command.ts";

const usage = `Usage: npm run socketio:fixture -- [options]

Serves what the official test suites of the Engine.IO v4 and Socket.IO v5 protocols are run against: an Engine.IO server
at /engine.io/ that echoes messages, a Socket.IO server at /socket.io/ with the namespaces / and /custom. It prints one
line when it is up. Storage is new with each start.

  --port PORT     default 3000, which the suites expect
  --help          this text

It runs until a signal ends it. Exit codes: 1 did not start, 2 wrong usage.
`;

export interface FixtureOptions {
  readonly port: number;
}

export const fixtureCommand = defineCommand({
  name: "npm run socketio:fixture",
  usage,
  options: { port: { type: "string", default: "3000" } },
  read: ({ values }): FixtureOptions => ({ port: portOf("--port", values.port) }),
});
