/** The command line of `npm start`, parsed once. */
import { resolve } from "node:path";
import { defineCommand, pairOf, portOf } from "../command.ts";
import { postgresUrl } from "../postgres/connection-url.ts";
import { projectRoot } from "../run-command.ts";
import { defaultStateFolder } from "../wrangler.ts";

export interface StartOptions {
  readonly port: number;
  readonly stateFolder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** A descriptor set for the query gateway. */
  readonly gatewayImage?: string;
  /** PostgreSQL instead of D1: its URL, or "local" for a server that is started over the state folder. */
  readonly postgres?: string;
}

const DEFAULT_PORT = 3000;
/** The value of `postgres` for the local server. */
export const LOCAL_POSTGRES = "local";

const usage = `Usage: npm start -- [options]

Starts all surfaces on one local port, with local storage that survives a restart.
The first run creates .dev.vars with random secrets; an existing file is never changed.

  --port N           the port; default PORT, else ${DEFAULT_PORT}
  --state FOLDER     where D1 and Durable Objects are stored; default ${defaultStateFolder}
  --var NAME=VALUE   a variable of the Worker for this run; may be repeated
  --gateway-image FILE   a descriptor image that the query gateway serves before its own
  --postgres [URL]   use the PostgreSQL database of the URL in place of D1. Without a URL, npm start runs the
                     installed server with its data in the state folder, and stops it at the end
  --help             this text

Ctrl-C or SIGTERM ends it. \`npm run reset\` clears the storage.
`;

export const startCommand = defineCommand({
  name: "npm start",
  usage,
  options: {
    port: { type: "string" },
    state: { type: "string", default: defaultStateFolder },
    var: { type: "string", multiple: true },
    "gateway-image": { type: "string" },
    // Its URL is a separate word: an option of parseArgs either always has a value or never.
    postgres: { type: "boolean", default: false },
  },
  takesWords: true,
  read({ values, words, environment }): StartOptions {
    const [url, ...others] = words;
    if (url !== undefined && (!values.postgres || others.length > 0))
      throw new Error("npm start takes options only, and one URL after --postgres");
    const given = values.port ?? environment["PORT"] ?? "";
    const image = values["gateway-image"];
    return {
      port: given === "" ? DEFAULT_PORT : portOf("the port", given),
      stateFolder: resolve(projectRoot, values.state),
      variables: Object.fromEntries((values.var ?? []).map((text) => pairOf("--var", text))),
      // Relative to the caller's directory: npm runs scripts in the project's folder.
      ...(image !== undefined && { gatewayImage: resolve(environment["INIT_CWD"] ?? "", image) }),
      ...(values.postgres && { postgres: url === undefined ? LOCAL_POSTGRES : postgresUrl("--postgres", url) }),
    };
  },
});
