/** `npm run backup`: reads a server's data into encrypted files, and compares them. Start reading at `backup/run.ts`. */
import { backupCommand } from "./backup/arguments.ts";
import { runBackupTask } from "./backup/run.ts";
import { runAs } from "./command.ts";

await runAs(backupCommand, (task) => runBackupTask(backupCommand.name, task));
