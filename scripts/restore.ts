/** `npm run restore`: writes a backup into an empty installation. Start reading at `backup/run.ts`. */
import { restoreCommand } from "./backup/arguments.ts";
import { runBackupTask } from "./backup/run.ts";
import { runAs } from "./command.ts";

await runAs(restoreCommand, (task) => runBackupTask(restoreCommand.name, task));
