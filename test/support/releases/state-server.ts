/** A running server over a given folder of storage, with secrets that never change: stored values stay readable. */
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../server/free-port.ts";
import { askForServer, newServer } from "../server/server-process-client.ts";

export const REGISTRY_KEY = "a-key-of-the-stored-releases";
/** Milliseconds. */
const START_LIMIT = 240_000;
const POLL = 100;

const variables = {
  ORACLE_SIGNING_SEED: "07".repeat(32),
  PIN_ENCRYPTION_KEY: "ab".repeat(32),
  REGISTRY_BOOTSTRAP_KEYS: JSON.stringify([
    { key: REGISTRY_KEY, did: "did:web:releases.test", scopes: ["domains:read", "domains:write"] },
  ]),
};

interface StateServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startStateServer(built: string, storage: string): Promise<StateServer> {
  const server = newServer();
  const port = await freePort();
  const url = `http://localhost:${port}`;
  await askForServer(server, { built, port, storage, variables, hasDevVars: false });
  const deadline = Date.now() + START_LIMIT;
  for (;;) {
    const status = await fetch(`${url}/health`).then((response) => response.status);
    if (status === 200) return { url, close: () => askForServer(server) };
    if (Date.now() > deadline) throw new Error(`the server is not healthy (${status}):\n${server.log}`);
    await delay(POLL);
  }
}
