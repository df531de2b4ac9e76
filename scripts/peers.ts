/**
 * `npm run peers`: servers that stand in for other services, such as MCP servers and Slack's API, on this machine. Prints the
 * variables with which the Worker uses them, and runs until Ctrl-C.
 */
import { parseArgs } from "node:util";
import type { Peer } from "../test/support/peers/peer.ts";
import { peerStarters, startPeers, stopPeers } from "./peers/all-peers.ts";
import { devVarsLines, joinVariables } from "./peers/variables.ts";
import { WRONG_USAGE, wrongUsage } from "./wrong-usage.ts";

const names: readonly string[] = Object.keys(peerStarters);
const usage = `Usage: npm run peers -- [options]

Starts small servers that behave as other services do, each on a free port of this machine, and prints the
variables to put into .dev.vars before npm start. What they keep is gone when they end.

  --only NAMES   a comma list of: ${names.join(", ")}
  --help         this text

Ctrl-C or SIGTERM ends them.
`;

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  const wanted = wantedNames(args);
  if (wanted === "help") {
    process.stdout.write(usage);
    return 0;
  }
  if (wanted instanceof Error) {
    process.stderr.write(wrongUsage("npm run peers", wanted));
    return WRONG_USAGE;
  }
  const peers = await startPeers(wanted);
  const variables = joinVariables(Object.values<Peer>(peers).map((peer) => peer.variables));
  process.stdout.write(`${describe(peers)}\n# Put these lines into .dev.vars, then start the Worker with npm start:\n`);
  process.stdout.write(`${devVarsLines(variables)}\n# Running until Ctrl-C.\n`);
  await new Promise<void>((end) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => end());
  });
  await stopPeers(peers);
  return 0;
}

function wantedNames(args: readonly string[]): readonly string[] | "help" | Error {
  let values;
  try {
    ({ values } = parseArgs({ args: [...args], options: { only: { type: "string" }, help: { type: "boolean" } } }));
  } catch (error) {
    return error as Error;
  }
  if (values.help === true) return "help";
  if (values.only === undefined) return names;
  const wanted = values.only.split(",").map((name) => name.trim());
  const unknown = wanted.find((name) => !names.includes(name));
  return unknown === undefined ? wanted : new Error(`there is no peer named "${unknown}"`);
}

function describe(peers: Readonly<Record<string, Peer>>): string {
  return Object.values(peers)
    .map(({ name, url }) => `# ${name} at ${url}\n`)
    .join("");
}
