/** The command lines of `npm run backup` and `npm run restore`. */
import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

const always = `  --url URL        the server; for restore always, otherwise http://localhost:3000, or the port in PORT
  --token-stdin    read the operator's token from standard input
  --help           this text

Environment:
  BACKUP_KEY       32 random bytes in hexadecimal, which encrypt the backup: openssl rand -hex 32
  ADMIN_TOKEN      the operator's token; of .dev.vars when the server is this machine's own

Exit codes: 0 done, or equal; 1 refused, or differs; 2 wrong usage; 3 server unreachable; 4 token missing or wrong.
`;

const backupUsage = `Usage: npm run backup -- FOLDER [options]
       npm run backup -- verify FOLDER [options]

Reads the database and the objects that cannot be rebuilt from a running server into a new folder below FOLDER.
Run it again after an interruption: it continues. verify compares the newest backup with a server, by counts and digests.

  --full           read tables that only grow from their first row, too; otherwise a backup uses the parts of earlier
                   ones in FOLDER, so keep them together
${always}`;

const restoreUsage = `Usage: npm run restore -- FOLDER --url URL [options]

Writes the newest complete backup of FOLDER into the empty installation at URL, which has the release of the backup.
Run it again after an interruption: it continues.

  --backup ID      another backup of FOLDER
  --users FILE     write the DIDs of the users whose data is restored, for npm run person -- apply --restored FILE
${always}`;

const sharedOptions = {
  url: { type: "string" },
  "token-stdin": { type: "boolean", default: false },
} as const;

export interface BackupTask {
  readonly kind: "backup" | "verify" | "restore";
  readonly folder: string;
  /** Without a trailing slash. */
  readonly url: string;
  readonly tokenFromInput: boolean;
  readonly isFull: boolean;
  /** The id of a backup, if it is not the newest. */
  readonly backup: string | undefined;
  /** The file for the DIDs of restored users. */
  readonly users: string | undefined;
}

export const backupCommand = defineCommand({
  name: "npm run backup",
  usage: backupUsage,
  options: { ...sharedOptions, full: { type: "boolean", default: false } },
  takesWords: true,
  read({ values, words, environment }): BackupTask {
    const kind = words[0] === "verify" ? "verify" : "backup";
    const [folder, ...more] = kind === "verify" ? words.slice(1) : words;
    if (folder === undefined || more.length > 0) throw new Error("name one folder for backups");
    if (kind === "verify" && values.full) throw new Error("verify takes no --full");
    return {
      kind,
      folder: resolve(folder),
      url: serverAddress(values.url, environment),
      tokenFromInput: values["token-stdin"],
      isFull: values.full,
      backup: undefined,
      users: undefined,
    };
  },
});

export const restoreCommand = defineCommand({
  name: "npm run restore",
  usage: restoreUsage,
  options: { ...sharedOptions, backup: { type: "string" }, users: { type: "string" } },
  takesWords: true,
  read({ values, words: [folder, ...more], environment }): BackupTask {
    if (folder === undefined || more.length > 0) throw new Error("name one folder of backups");
    if (values.url === undefined) throw new Error("name the empty installation with --url");
    return {
      kind: "restore",
      folder: resolve(folder),
      url: serverAddress(values.url, environment),
      tokenFromInput: values["token-stdin"],
      isFull: false,
      backup: values.backup,
      users: values.users === undefined ? undefined : resolve(values.users),
    };
  },
});
