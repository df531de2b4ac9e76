/** One run of `npm run backup` or `npm run restore`: finds the key and the token, runs the task, returns the exit code. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { exitCodes, operatorToken } from "../keys/run-keys.ts";
import { projectRoot } from "../run-command.ts";
import { readDevVarsFile } from "../start/dev-vars.ts";
import type { BackupTask } from "./arguments.ts";
import { BackupFolder, type Manifest } from "./folder.ts";
import { createOperator, Refusal, type Operator } from "./operator.ts";
import { runBackup } from "./run-backup.ts";
import { runRestore, usersIn } from "./run-restore.ts";
import { runVerify } from "./run-verify.ts";
import { backupKey } from "./sealed-file.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const note = (line: string): void => void process.stderr.write(`${line}\n`);

export async function runBackupTask(name: string, task: BackupTask): Promise<number> {
  try {
    return await execute(task);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    note(`${name}: ${error.message}`);
    return error.exitCode;
  }
}

async function execute(task: BackupTask): Promise<number> {
  const key = backupKey(process.env["BACKUP_KEY"]);
  if (!key.ok) throw new Refusal(key.error);
  const token = await operatorToken(task, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
  });
  if (token === undefined)
    throw new Refusal("no operator token; set ADMIN_TOKEN, or give it with --token-stdin", exitCodes.unauthorised);
  const folder = new BackupFolder(task.folder, key.value);
  const operator = createOperator(task.url, token, fetch);
  return tasks[task.kind](task, folder, operator);
}

const tasks: Readonly<
  Record<BackupTask["kind"], (task: BackupTask, folder: BackupFolder, operator: Operator) => Promise<number>>
> = {
  async backup({ isFull }, folder, operator) {
    const { id, parts, changing } = await runBackup({
      folder,
      operator,
      release: releaseOf(),
      isFull,
      note,
      now: Date.now,
    });
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    print(`${id}: ${parts.length} parts, ${bytes} bytes, in ${folder.path}`);
    if (changing > 0)
      note(`${changing} objects changed each time while they were read; a later backup may catch them still`);
    return exitCodes.done;
  },
  async verify(task, folder, operator) {
    const differences = await runVerify({ folder, operator, print }, manifestOf(task, folder));
    print(differences === 0 ? "The server equals the backup." : `${differences} differences.`);
    return differences === 0 ? exitCodes.done : exitCodes.refused;
  },
  async restore(task, folder, operator) {
    const manifest = manifestOf(task, folder);
    await runRestore({ folder, operator, note }, manifest);
    if (task.users !== undefined) writeFileSync(task.users, usersIn(folder, manifest), { mode: 0o600 });
    print(`${manifest.id} is restored into ${task.url}. Compare: npm run backup -- verify FOLDER --url ${task.url}`);
    return exitCodes.done;
  },
};

function manifestOf({ backup }: BackupTask, folder: BackupFolder): Manifest {
  const found = backup === undefined ? folder.newest() : folder.read(backup);
  if (!found.ok) throw new Refusal(found.error);
  if (found.value.finishedAt === undefined)
    throw new Refusal(`the backup ${found.value.id} is not complete: run npm run backup again, which continues it`);
  return found.value;
}

function releaseOf(): string {
  return (JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { readonly version: string }).version;
}
