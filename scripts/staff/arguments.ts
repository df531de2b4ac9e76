/** The command line of `npm run staff`, parsed once into one command. */
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

const roles = ["viewer", "support", "operator", "programme", "compliance", "administrator"];

const usage = `Usage: npm run staff -- COMMAND [options]

  invite                   invite a person, and print the link that creates a passkey
    --name TEXT            the person's name
    --role ROLE            ${roles.slice(0, 4).join(", ")},
                           ${roles.slice(4).join(" or ")}
    --id STAFF_ID          instead of both: invite again a person who lost the passkey
  list                     the people and their roles
  disable STAFF_ID         end a person's sessions and sign-in at once
  enable STAFF_ID          let a disabled person sign in again

Always:
  --url URL                the server; default http://localhost:3000, or the port in PORT
  --token-stdin            read the operator's token from standard input
  --json                   print the server's response
  --help                   this text

The operator's token is ADMIN_TOKEN from the environment, or from .dev.vars if the server runs on this machine. The
link of an invitation goes to standard output. It works once, for three days.

Exit codes: 0 done, 1 refused, 2 wrong usage, 3 server unreachable, 4 token missing or wrong.
`;

export const staffCommand = defineCommand({
  name: "npm run staff",
  usage,
  options: {
    name: { type: "string" },
    role: { type: "string" },
    id: { type: "string" },
    url: { type: "string" },
    "token-stdin": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
  takesWords: true,
  read: ({ values, words, environment }): StaffOptions => ({
    command: commandOf(words, values),
    url: serverAddress(values.url, environment),
    json: values.json,
    tokenFromInput: values["token-stdin"],
  }),
});

interface Values {
  readonly name?: string;
  readonly role?: string;
  readonly id?: string;
}

function commandOf([kind, staffId, ...more]: readonly string[], { name, role, id }: Values): Command {
  if (kind !== "invite" && kind !== "list" && kind !== "disable" && kind !== "enable") {
    throw new Error("name a command: invite, list, disable or enable");
  }
  const takesPerson = kind === "disable" || kind === "enable";
  if (more.length > 0 || (!takesPerson && staffId !== undefined)) throw new Error(`${kind} takes no further arguments`);
  const isOther = kind !== "invite" && [name, role, id].some((value) => value !== undefined);
  if (isOther) throw new Error(`${kind} takes no --name, --role or --id`);
  if (kind === "list") return { kind };
  if (takesPerson) return { kind, staffId: personOf(kind, staffId) };
  if (id !== undefined) {
    if (name !== undefined || role !== undefined) throw new Error("invite takes --id, or --name and --role");
    return { kind: "invite-again", staffId: personOf("invite --id", id) };
  }
  if (name === undefined || name.trim() === "") throw new Error("invite needs --name, the person's name");
  if (role === undefined || !roles.includes(role)) throw new Error(`invite needs --role: ${roles.join(", ")}`);
  return { kind, name, role };
}

function personOf(kind: string, staffId: string | undefined): string {
  if (staffId === undefined || !/^staff_\w+$/.test(staffId)) throw new Error(`${kind} takes a person's id: staff_…`);
  return staffId;
}

export type Command =
  | { readonly kind: "invite"; readonly name: string; readonly role: string }
  | { readonly kind: "invite-again" | "disable" | "enable"; readonly staffId: string }
  | { readonly kind: "list" };

export interface StaffOptions {
  readonly command: Command;
  /** Without a trailing slash. */
  readonly url: string;
  readonly json: boolean;
  readonly tokenFromInput: boolean;
}
