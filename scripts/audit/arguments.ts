/** The command line of `npm run audit`, parsed once into one command. */
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

const usage = `Usage: npm run audit -- COMMAND [options]

  export                   print the audit log as NDJSON, oldest first
  verify                   check the chain of digests of the server's audit log
    --export FILE          also check that the log continues this earlier export unchanged

Always:
  --url URL                the server; default http://localhost:3000, or the port in PORT
  --token-stdin            read the operator's token from standard input
  --help                   this text

The operator's token is ADMIN_TOKEN from the environment, or from .dev.vars if the server runs on this machine. An
administrator of the database can write a new chain; only an export that is stored elsewhere reveals that.

Exit codes: 0 done, 1 refused or a fault in the log, 2 wrong usage, 3 server unreachable, 4 token missing or wrong.
`;

export const auditCommand = defineCommand({
  name: "npm run audit",
  usage,
  options: {
    export: { type: "string" },
    url: { type: "string" },
    "token-stdin": { type: "boolean", default: false },
  },
  takesWords: true,
  read({ values, words: [kind, ...more], environment }): AuditOptions {
    if (kind !== "export" && kind !== "verify") throw new Error("name a command: export or verify");
    if (more.length > 0) throw new Error(`${kind} takes no further arguments`);
    if (kind === "export" && values.export !== undefined) throw new Error("only verify takes --export");
    return {
      kind,
      earlier: values.export,
      url: serverAddress(values.url, environment),
      tokenFromInput: values["token-stdin"],
    };
  },
});

export interface AuditOptions {
  readonly kind: "export" | "verify";
  /** The path of an earlier export. */
  readonly earlier: string | undefined;
  /** Without a trailing slash. */
  readonly url: string;
  readonly tokenFromInput: boolean;
}
