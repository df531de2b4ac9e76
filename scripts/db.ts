/** `npm run db`: migrates, copies and compares databases. Start reading at `db/run-db.ts`. */
import { runAs } from "./command.ts";
import { dbCommand } from "./db/arguments.ts";
import { runDb } from "./db/run-db.ts";

await runAs(dbCommand, (task) =>
  runDb(task, {
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
  }),
);
