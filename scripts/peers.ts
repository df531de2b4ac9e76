/**
 * `npm run peers`: mock servers of other services, such as MCP servers and Slack's API, on this machine. Prints the variables with
 * which the Worker uses them, and runs until Ctrl-C.
 */
import type { Peer } from "../test/support/peers/peer.ts";
import { defineCommand, runAs } from "./command.ts";
import { peerStarters, startPeers, stopPeers } from "./peers/all-peers.ts";
import { devVarsLines, joinVariables } from "./peers/variables.ts";

const names: readonly string[] = Object.keys(peerStarters);
const usage = `Usage: npm run peers -- [options]

Starts mock servers of other services, each on a free port of this machine, and prints the
variables to put into .dev.vars before npm start. Their data is lost when they end.

  --only NAMES   a comma list of: ${names.join(", ")}
  --help         this text

Ctrl-C or SIGTERM ends them.
`;

const command = defineCommand({
  name: "npm run peers",
  usage,
  options: { only: { type: "string" } },
  read({ values }) {
    const wanted = values.only?.split(",").map((name) => name.trim()) ?? names;
    const unknown = wanted.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(`unknown peer "${unknown}"`);
    return wanted;
  },
});

await runAs(command, async (wanted) => {
  const peers = await startPeers(wanted);
  const variables = joinVariables(Object.values<Peer>(peers).map((peer) => peer.variables));
  process.stdout.write(`${describe(peers)}\n# Put these lines into .dev.vars, then start the Worker with npm start:\n`);
  process.stdout.write(`${devVarsLines(variables)}\n# Running until Ctrl-C.\n`);
  await new Promise<void>((end) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => end());
  });
  await stopPeers(peers);
  return 0;
});

function describe(peers: Readonly<Record<string, Peer>>): string {
  return Object.values(peers)
    .map(({ name, url }) => `# ${name} at ${url}\n`)
    .join("");
}
