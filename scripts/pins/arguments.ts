/** The command line of `npm run pins`. */
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

const usage = `Usage: npm run pins -- rotate [options]

Re-encrypts every PIN and every customer's key with the current PIN_ENCRYPTION_KEY, batch by batch. You can stop it and
run it again at any time; customers can log in meanwhile. Afterwards, remove the keys in PIN_ENCRYPTION_KEYS_OLD.

  --url URL       the server; default http://localhost:3000, or the port in PORT
  --token-stdin   read the operator's token from standard input
  --help          this text

The operator's token is USSD_OPERATOR_TOKEN, from the environment or, for a server on this machine, from .dev.vars.

Exit codes: 0 everything is encrypted with the current key, 1 failed or some could not be read, 2 wrong usage, 3 server unreachable,
4 token missing or wrong.
`;

export interface PinsOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly tokenFromInput: boolean;
}

export const pinsCommand = defineCommand({
  name: "npm run pins",
  usage,
  options: { url: { type: "string" }, "token-stdin": { type: "boolean", default: false } },
  takesWords: true,
  read({ values, words, environment }): PinsOptions {
    if (words.length !== 1 || words[0] !== "rotate") throw new Error("name the command: rotate");
    return { url: serverAddress(values.url, environment), tokenFromInput: values["token-stdin"] };
  },
});
