/** The command line of `npm run person`, parsed once into one task. */
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

const usage = `Usage: npm run person -- export FILE
       npm run person -- erase FILE
       npm run person -- list-erased > LIST
       npm run person -- apply LIST [--restored DIDS]

export prints a copy of a person's data, one JSON object per line. erase deletes the data and prints the receipt: what was
erased, and what is kept and why. FILE has the person: a DID of the oracle, a Customer ID, or a phone number such as
+260971230000. FILE is - for standard input, which keeps the person out of the list of processes and the shell history:

  npm run person -- erase - <<< +260971230000

list-erased prints keyed digests of all erased people. Keep the list outside of the database. After a restore, apply adds
the list to the database, finds the people whom the restore brought back, and erases them again.

  --restored DIDS  a file with DIDs of oracle users whose objects were restored, one per line, to compare with the list
  --url URL        the server; default http://localhost:3000, or the port in PORT
  --help           this text

Needs ADMIN_TOKEN for users of the oracle, and USSD_OPERATOR_TOKEN for phone customers: from the environment or, for a
server on this machine, from .dev.vars. list-erased and apply use both; if one is missing, they omit its
part and print a message.

Exit codes: 0 done, 1 refused, failed, or incomplete, 2 wrong usage, 3 server unreachable, 4 token missing or wrong.
`;

export type PersonTask =
  | { readonly kind: "export" | "erase"; readonly file: string }
  | { readonly kind: "list-erased" }
  | { readonly kind: "apply"; readonly file: string; readonly restored: string | undefined };

export interface PersonOptions {
  readonly task: PersonTask;
  /** Without a trailing slash. */
  readonly url: string;
}

export const personCommand = defineCommand({
  name: "npm run person",
  usage,
  options: { restored: { type: "string" }, url: { type: "string" } },
  takesWords: true,
  read: ({ values, words, environment }): PersonOptions => ({
    task: taskOf(words, values.restored),
    url: serverAddress(values.url, environment),
  }),
});

function taskOf([kind, file, ...more]: readonly string[], restored: string | undefined): PersonTask {
  if (kind !== "export" && kind !== "erase" && kind !== "list-erased" && kind !== "apply")
    throw new Error("name a command: export, erase, list-erased or apply");
  if (restored !== undefined && kind !== "apply") throw new Error("only apply takes --restored");
  if (more.length > 0) throw new Error(`${kind} takes one file`);
  if (kind === "list-erased") {
    if (file !== undefined) throw new Error("list-erased takes no file: it prints the list");
    return { kind };
  }
  if (file === undefined || file === "") throw new Error(`${kind} takes a file, or - for standard input`);
  // The most likely mistake. The name itself is not repeated.
  if (/^(?:did:|\+?\d{6,}$)/.test(file))
    throw new Error("write the person's id or number to a file, or pass - and write it to standard input");
  return kind === "apply" ? { kind, file, restored } : { kind, file };
}
