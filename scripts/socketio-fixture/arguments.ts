/** The command line of `npm run socketio:fixture`. */
import { parseArgs } from "node:util";

export const usage = `Usage: npm run socketio:fixture -- [options]

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

const HIGHEST_PORT = 65_535;

/** The options, or one sentence on what is wrong with them, or a wish for help. */
export function parseFixture(words: readonly string[]): FixtureOptions | "help" | Error {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { port: { type: "string", default: "3000" }, help: { type: "boolean", short: "h", default: false } },
    });
    if (values.help) return "help";
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 1 || port > HIGHEST_PORT) throw new Error(`${values.port} is no port`);
    return { port };
  } catch (error) {
    return error as Error;
  }
}
