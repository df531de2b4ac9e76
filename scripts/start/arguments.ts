/** The command line of `npm start`, parsed once. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "../run-command.ts";
import { defaultStateFolder } from "../wrangler.ts";

export interface StartOptions {
  readonly port: number;
  readonly stateFolder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** A descriptor image for the query gateway. */
  readonly gatewayImage?: string;
}

const DEFAULT_PORT = 3000;
const HIGHEST_PORT = 65_535;

export const usage = `Usage: npm start -- [options]

Starts all surfaces that exist on one local port, over local storage that survives a restart.
On the first run it makes .dev.vars with fresh random secrets; it never changes one that is there.

  --port N           the port; default PORT, else ${DEFAULT_PORT}
  --state FOLDER     where D1 and Durable Objects are kept; default ${defaultStateFolder}
  --var NAME=VALUE   a variable of the Worker for this run; may be repeated
  --gateway-image FILE   a descriptor image that the query gateway serves before its own
  --help             this text

Ctrl-C or SIGTERM ends it. \`npm run reset\` clears the storage.
`;

/** The options, or one sentence on what is wrong with them, or a wish for help. */
export function parseStart(args: readonly string[], environment: NodeJS.ProcessEnv): StartOptions | "help" | Error {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string" },
        state: { type: "string", default: defaultStateFolder },
        var: { type: "string", multiple: true, default: [] },
        "gateway-image": { type: "string" },
        help: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    return error as Error;
  }
  if (values.help) return "help";
  const given = values.port ?? environment["PORT"] ?? "";
  const port = given === "" ? DEFAULT_PORT : Number(given);
  if (!Number.isInteger(port) || port < 1 || port > HIGHEST_PORT) {
    return new Error(`the port must be a whole number from 1 to ${HIGHEST_PORT}, not "${given}"`);
  }
  const pairs = values.var.map((pair): [string, string] => {
    const end = pair.indexOf("=");
    return end < 1 ? [pair, ""] : [pair.slice(0, end), pair.slice(end + 1)];
  });
  const bad = values.var.find((pair) => pair.indexOf("=") < 1);
  if (bad !== undefined) return new Error(`--var takes NAME=VALUE, not "${bad}"`);
  const image = values["gateway-image"];
  return {
    port,
    stateFolder: resolve(projectRoot, values.state),
    variables: Object.fromEntries(pairs),
    // Where the caller stands: npm runs scripts in the project's folder.
    ...(image !== undefined && { gatewayImage: resolve(environment["INIT_CWD"] ?? "", image) }),
  };
}
