/** The command line of `npm run pins`. */
import { parseArgs } from "node:util";
import { serverAddress } from "../server-address.ts";

export const usage = `Usage: npm run pins -- rotate [options]

Seals every PIN and every customer's key again under the current PIN_ENCRYPTION_KEY, batch by batch. You can stop it and
run it again at any time; customers can log in meanwhile. Afterwards, remove the keys in PIN_ENCRYPTION_KEYS_OLD.

  --url URL       the server; default http://localhost:3000, or the port in PORT
  --token-stdin   read the operator's token from standard input
  --help          this text

The operator's token is USSD_OPERATOR_TOKEN, from the environment or, for a server on this machine, from .dev.vars.

Exit codes: 0 everything is sealed by the current key, 1 failed or some could not be read, 2 wrong usage, 3 server unreachable,
4 token missing or wrong.
`;

export interface PinsOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly tokenFromInput: boolean;
}

/** The options, one sentence that says what is wrong with them, or a request for help. */
export function parsePins(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): PinsOptions | "help" | Error {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: {
        url: { type: "string" },
        "token-stdin": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
      allowPositionals: true,
    });
    if (values.help) return "help";
    if (positionals.length !== 1 || positionals[0] !== "rotate") throw new Error("name the command: rotate");
    return { url: serverAddress(values.url, environment), tokenFromInput: values["token-stdin"] };
  } catch (error) {
    return error as Error;
  }
}
