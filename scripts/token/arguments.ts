/** The command line of `npm run token`, parsed once. */
import { DELEGATION_LIFETIME, INVOCATION_LIFETIME } from "../../sdk/src/core/signer.ts";
import { DID } from "../../protocol/records.ts";
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

const usage = `Usage: npm run token -- [options]

Prints an invocation and a delegation for an oracle, and curl commands that use them. The output is a shell script:
eval "$(npm run -s token)" sets ORACLE, INVOCATION and DELEGATION.

  --url URL          the oracle; default http://localhost:3000, or the port in PORT
  --audience DID     the oracle that the tokens are for; default: the id of URL/.well-known/did.json
  --ttl SECONDS      how long the invocation is valid; default ${INVOCATION_LIFETIME}. An oracle refuses more than its
                     UCAN_AUTH_MAX_TTL_SECONDS (86400 unless it is set, often 900)
  --delegation-ttl SECONDS  how long the delegation is valid; default ${DELEGATION_LIFETIME}
  --key FILE         the key: 64 hexadecimal digits; default: the one of npm run chat
  --did DID          sign as this DID instead of the key's own did:key; the oracle must know that the key belongs to it

  --invocation       print only the invocation
  --delegation       print only the delegation
  --json             print {did, audience, url, invocation, delegation}
  --show-key         also print the secret key
  --help             this text

The key is stored in .twinedge/chat (in TWINEDGE_HOME/chat when that is set) and created the first time. Anyone with the
tokens can act as you until they expire. Anyone with the key can act as you permanently.

Exit codes: 0 done, 2 wrong usage, 3 oracle unreachable.
`;

export interface TokenOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly audience: string | undefined;
  /** Seconds. */
  readonly invocationTtl: number;
  readonly delegationTtl: number;
  readonly keyFile: string | undefined;
  readonly did: string | undefined;
  readonly form: "shell" | "json" | "invocation" | "delegation";
  readonly showKey: boolean;
}

/** Seconds: 100 years, which no clock of a token passes. */
const LONGEST = 3_155_760_000;

export const tokenCommand = defineCommand({
  name: "npm run token",
  usage,
  options: {
    url: { type: "string" },
    audience: { type: "string" },
    ttl: { type: "string" },
    "delegation-ttl": { type: "string" },
    key: { type: "string" },
    did: { type: "string" },
    invocation: { type: "boolean", default: false },
    delegation: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    "show-key": { type: "boolean", default: false },
  },
  read({ values, environment }): TokenOptions {
    const forms = (["invocation", "delegation", "json"] as const).filter((name) => values[name]);
    if (forms.length > 1) throw new Error(`give one of ${forms.map((name) => `--${name}`).join(" and ")}`);
    return {
      url: serverAddress(values.url, environment),
      audience: didOf("audience", values.audience),
      invocationTtl: secondsOf("ttl", values.ttl, INVOCATION_LIFETIME),
      delegationTtl: secondsOf("delegation-ttl", values["delegation-ttl"], DELEGATION_LIFETIME),
      keyFile: values.key,
      did: didOf("did", values.did),
      form: forms[0] ?? "shell",
      showKey: values["show-key"],
    };
  },
});

function didOf(name: string, given: string | undefined): string | undefined {
  if (given !== undefined && !DID.test(given)) throw new Error(`--${name} takes a DID, such as did:ixo:ixo1abc`);
  return given;
}

function secondsOf(name: string, given: string | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  const seconds = Number(given);
  if (!/^\d+$/.test(given) || seconds < 1 || seconds > LONGEST) {
    throw new Error(`--${name} takes seconds, from 1 to ${LONGEST}`);
  }
  return seconds;
}
