/** The command line of `npm run keys`, parsed once into one command. */
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

/** The scopes for registering domains. */
const USUAL_SCOPES = "domains:read,domains:write";

const usage = `Usage: npm run keys -- COMMAND [options]

  create --name TEXT       issue a key
    --did DID              the DID it acts as; default: a new did:key
    --scopes LIST          default ${USUAL_SCOPES}; also verification:propose,
                           verification:vote, registry:admin
    --role ROLE            compliance or program; needed for verification:propose
    --expires TIME         RFC 3339; default: never
  list                     the keys, newest first
    --did DID              only those of this DID
    --state LIST           only active, expired or revoked ones
  rotate KEY_ID            issue a successor
    --overlap SECONDS      how long the old key stays valid; default 86400, 0 ends it now
  revoke KEY_ID            end a key at once

Always:
  --url URL                the server; default http://localhost:3000, or the port in PORT
  --token-stdin            read the operator's token from standard input
  --json                   print the server's response
  --help                   this text

The operator's token is ADMIN_TOKEN from the environment, or from .dev.vars if the server runs on this machine. A new
key goes to standard output and is shown only once; everything about it goes to standard error.

Exit codes: 0 done, 1 refused, 2 wrong usage, 3 server unreachable, 4 token missing or wrong.
`;

const takenBy = {
  create: ["name", "did", "scopes", "role", "expires"],
  list: ["did", "state"],
  rotate: ["overlap"],
  revoke: [],
} as const satisfies Record<Command["kind"], readonly string[]>;
const always: readonly string[] = ["url", "token-stdin", "json"];

export const keysCommand = defineCommand({
  name: "npm run keys",
  usage,
  options: {
    name: { type: "string" },
    did: { type: "string" },
    scopes: { type: "string", default: USUAL_SCOPES },
    role: { type: "string" },
    expires: { type: "string" },
    state: { type: "string" },
    overlap: { type: "string" },
    url: { type: "string" },
    "token-stdin": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
  takesWords: true,
  read: ({ values, words, given, environment }): KeysOptions => ({
    command: commandOf(words, values, given),
    url: serverAddress(values.url, environment),
    json: values.json,
    tokenFromInput: values["token-stdin"],
  }),
});

interface Values {
  readonly name?: string;
  readonly did?: string;
  readonly scopes: string;
  readonly role?: string;
  readonly expires?: string;
  readonly state?: string;
  readonly overlap?: string;
}

function commandOf([kind, keyId, ...more]: readonly string[], values: Values, given: readonly string[]): Command {
  if (kind !== "create" && kind !== "list" && kind !== "rotate" && kind !== "revoke") {
    throw new Error("name a command: create, list, rotate or revoke");
  }
  const foreign = given.find((name) => !always.includes(name) && !takenBy[kind].some((taken) => taken === name));
  if (foreign !== undefined) throw new Error(`${kind} takes no --${foreign}`);
  const takesKey = kind === "rotate" || kind === "revoke";
  if (more.length > 0 || (!takesKey && keyId !== undefined)) throw new Error(`${kind} takes no further arguments`);
  if (kind === "list") return { kind, did: filled(values.did), state: filled(values.state) };
  if (takesKey) {
    if (keyId === undefined || !/^key_\w+$/.test(keyId)) throw new Error(`${kind} takes a key's id, such as key_…`);
    return kind === "revoke" ? { kind, keyId } : { kind, keyId, overlapSeconds: overlapOf(filled(values.overlap)) };
  }
  const label = filled(values.name);
  if (label === undefined) throw new Error("create needs --name, which labels the key");
  const scopes = values.scopes.split(",").map((scope) => scope.trim());
  const { did, role, expires } = values;
  return { kind, label, did: filled(did), scopes, role: filled(role), expiresAt: filled(expires) };
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function overlapOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,9}$/.test(given)) throw new Error("--overlap takes a number of seconds");
  return Number(given);
}

export type Command =
  | {
      readonly kind: "create";
      readonly label: string;
      /** Undefined: a fresh did:key is created. */
      readonly did: string | undefined;
      readonly scopes: readonly string[];
      readonly role: string | undefined;
      readonly expiresAt: string | undefined;
    }
  | { readonly kind: "list"; readonly did: string | undefined; readonly state: string | undefined }
  | { readonly kind: "rotate"; readonly keyId: string; readonly overlapSeconds: number | undefined }
  | { readonly kind: "revoke"; readonly keyId: string };

export interface KeysOptions {
  readonly command: Command;
  /** Without a trailing slash. */
  readonly url: string;
  readonly json: boolean;
  readonly tokenFromInput: boolean;
}
