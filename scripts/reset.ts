/**
 * `npm run reset`: clears the local storage, and prints what it removed. It asks nothing, but refuses while a server uses that
 * storage. Secrets are kept unless requested: with a new seed, users would see another oracle.
 */
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineCommand, runAs } from "./command.ts";
import { POSTGRES_FOLDER, runningServer } from "./local-state.ts";
import { projectRoot } from "./run-command.ts";
import { defaultStateFolder } from "./wrangler.ts";

const usage = `Usage: npm run reset -- [options]

Removes the stored data of the local server. The chat client's identity in .twinedge is kept.

  --state FOLDER   the storage to clear; default ${defaultStateFolder}
  --secrets        also remove .dev.vars: the next start creates new secrets, and the oracle gets a new DID
  --help           this text
`;

/** What our state folder can contain. Nothing else is removed, whatever folder is named. */
const PARTS = ["v3", POSTGRES_FOLDER, "server.json"];

const command = defineCommand({
  name: "npm run reset",
  usage,
  options: {
    state: { type: "string", default: defaultStateFolder },
    secrets: { type: "boolean", default: false },
  },
  read: ({ values }) => ({ stateFolder: resolve(projectRoot, values.state), secretsToo: values.secrets }),
});
await runAs(command, reset);

interface Storage {
  readonly stateFolder: string;
  readonly secretsToo: boolean;
}

async function reset({ stateFolder, secretsToo }: Storage): Promise<number> {
  const server = await runningServer(stateFolder);
  if (server !== undefined) {
    process.stderr.write(
      `npm run reset: a server is using ${stateFolder} on port ${server.port} (process ${server.pid}); stop it first\n`,
    );
    return 1;
  }
  const candidates = PARTS.map((part) => join(stateFolder, part));
  if (secretsToo) candidates.push(join(projectRoot, ".dev.vars"));
  const present = candidates.filter((path) => existsSync(path));
  for (const path of present) {
    rmSync(path, { recursive: true, force: true });
    process.stdout.write(`removed ${path}\n`);
  }
  if (present.length === 0) process.stdout.write("nothing to remove\n");
  return 0;
}
