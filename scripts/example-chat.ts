/**
 * `npm run example:chat`: the oracle of examples/stove-oracle, and beside it the page of examples/react-chat, served by Vite.
 * The page talks to the oracle as it would to any other.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { buildPackage } from "./package/build.ts";
import { projectEnvironment, projectRoot } from "./run-command.ts";
import { startServer } from "./start/server.ts";
import { WRONG_USAGE, wrongUsage } from "./wrong-usage.ts";

const DEFAULT_ORACLE_PORT = 8787;
const DEFAULT_PAGE_PORT = 5173;

const usage = `Usage: npm run example:chat -- [options]

Starts the oracle of examples/stove-oracle and the page of examples/react-chat.

  --port N          the page's port; default ${DEFAULT_PAGE_PORT}
  --oracle-port N   the oracle's port; default ${DEFAULT_ORACLE_PORT}
  --state FOLDER    where the oracle keeps its data; default .wrangler/stove-oracle
  --help            this text
`;

try {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: String(DEFAULT_PAGE_PORT) },
      "oracle-port": { type: "string", default: String(DEFAULT_ORACLE_PORT) },
      state: { type: "string", default: ".wrangler/stove-oracle" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) process.stdout.write(usage);
  else process.exitCode = await start(portOf(values.port), portOf(values["oracle-port"]), values.state);
} catch (error) {
  process.stderr.write(wrongUsage("npm run example:chat", error as Error));
  process.exitCode = WRONG_USAGE;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${text} is no port number`);
  return port;
}

async function start(pagePort: number, oraclePort: number, stateFolder: string): Promise<number> {
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
  // Either of them ending ends both.
  await Promise.race([server.ended, pageEnded]);
  page.kill();
  await server.stop();
  await pageEnded;
  return isStopping ? 0 : 1;
}
