/**
 * `npm run example:chat`: the oracle of examples/stove-oracle, with the page of examples/react-chat, served by Vite. The page uses
 * the oracle like any other.
 */
import { spawn } from "node:child_process";
import { defineCommand, portOf, runAs } from "./command.ts";
import { buildPackage } from "./package/build.ts";
import { projectEnvironment, projectRoot } from "./run-command.ts";
import { startServer } from "./start/server.ts";

const DEFAULT_ORACLE_PORT = 8787;
const DEFAULT_PAGE_PORT = 5173;

const usage = `Usage: npm run example:chat -- [options]

Starts the oracle of examples/stove-oracle and the page of examples/react-chat.

  --port N          the page's port; default ${DEFAULT_PAGE_PORT}
  --oracle-port N   the oracle's port; default ${DEFAULT_ORACLE_PORT}
  --state FOLDER    where the oracle keeps its data; default .wrangler/stove-oracle
  --help            this text
`;

const command = defineCommand({
  name: "npm run example:chat",
  usage,
  options: {
    port: { type: "string", default: String(DEFAULT_PAGE_PORT) },
    "oracle-port": { type: "string", default: String(DEFAULT_ORACLE_PORT) },
    state: { type: "string", default: ".wrangler/stove-oracle" },
  },
  read: ({ values }) => ({
    pagePort: portOf("--port", values.port),
    oraclePort: portOf("--oracle-port", values["oracle-port"]),
    stateFolder: values.state,
  }),
});
await runAs(command, start);

interface Places {
  readonly pagePort: number;
  readonly oraclePort: number;
  readonly stateFolder: string;
}

async function start({ pagePort, oraclePort, stateFolder }: Places): Promise<number> {
  process.stdout.write("Building the package ...\n");
  await buildPackage();
  const oracleUrl = `http://localhost:${oraclePort}`;
  const config = "examples/stove-oracle/wrangler.toml";
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const server = startServer({ port: oraclePort, config, stateFolder, variables: {}, print });
  const page = spawn(
    "vite",
    ["examples/react-chat", "--port", String(pagePort), "--strictPort", "--logLevel", "warn"],
    {
      cwd: projectRoot,
      env: { ...projectEnvironment({}), VITE_ORACLE_URL: oracleUrl },
      stdio: "inherit",
    },
  );
  const pageEnded = new Promise<void>((resolve) => page.on("close", () => resolve()));
  let isStopping = false;
  const stop = (): void => {
    isStopping = true;
    page.kill();
    void server.stop();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  if ((await server.up()) === undefined) {
    page.kill();
    await server.stop();
    if (!isStopping) process.stderr.write(`npm run example:chat: the oracle did not come up:\n${server.startTalk()}\n`);
    return isStopping ? 0 : 1;
  }
  process.stdout.write(`\nOpen http://localhost:${pagePort}. The oracle answers at ${oracleUrl}. Ctrl-C stops both.\n`);
  // The end of either one ends both.
  await Promise.race([server.ended, pageEnded]);
  page.kill();
  await server.stop();
  await pageEnded;
  return isStopping ? 0 : 1;
}
