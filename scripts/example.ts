/**
 * `npm run example`: builds the npm package and starts the oracle of examples/weather-oracle with it, as its author would with `npx
 * wrangler dev`, over separate storage.
 */
import { defineCommand, portOf, runAs } from "./command.ts";
import { buildPackage } from "./package/build.ts";
import { startServer } from "./start/server.ts";

const DEFAULT_PORT = 8787;

const usage = `Usage: npm run example -- [options]

Builds the package and starts examples/weather-oracle with it.

  --port N   the port; default ${DEFAULT_PORT}
  --help     this text
`;

const command = defineCommand({
  name: "npm run example",
  usage,
  options: { port: { type: "string" } },
  read: ({ values, environment }) => portOf("--port", values.port ?? environment["PORT"] ?? String(DEFAULT_PORT)),
});
await runAs(command, start);

async function start(port: number): Promise<number> {
  process.stdout.write("Building the package ...\n");
  await buildPackage();
  const server = startServer({
    port,
    config: "examples/weather-oracle/wrangler.toml",
    stateFolder: ".wrangler/example",
    variables: {},
    print: (line) => process.stdout.write(`${line}\n`),
  });
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      isStopping = true;
      void server.stop();
    });
  }
  if ((await server.up()) === undefined) {
    await server.stop();
    if (!isStopping) process.stderr.write(`npm run example: the server did not come up:\n${server.startTalk()}\n`);
    return isStopping ? 0 : 1;
  }
  process.stdout.write(announcement(`http://localhost:${port}`));
  await server.ended;
  return isStopping ? 0 : 1;
}

function announcement(base: string): string {
  return `
The weather oracle answers at ${base}. In another terminal:

  curl ${base}/weather/Nairobi
  npm run chat -- --url ${base} '/tool get_weather {"city":"Nairobi"}'

Ctrl-C stops it.
`;
}
