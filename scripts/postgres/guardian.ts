/**
 * The process between a tool and its PostgreSQL server: it stops the server when the tool ends, even by SIGKILL, which closes the
 * channel between the two. Its first argument is the server's user in JSON, or `null`; the program and its arguments follow.
 */
import { spawn } from "node:child_process";
import type { ServerUser } from "./server-programs.ts";

const [user = "null", program = "", ...args] = process.argv.slice(2);
const account = JSON.parse(user) as ServerUser | null;
// A separate session: Ctrl-C in a terminal reaches the tool alone, which first stops the programs that use the server.
const server = spawn(program, args, {
  stdio: "inherit",
  detached: true,
  ...(account !== null && { uid: account.uid, gid: account.gid }),
});

/** PostgreSQL's fast shutdown: open transactions are rolled back, and the data is on the disk when the process ends. */
const stop = (): void => void server.kill("SIGINT");

process.once("disconnect", stop);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
server.once("error", (error) => {
  process.stderr.write(`${program}: ${error.message}\n`);
  process.exit(1);
});
server.once("exit", (code) => process.exit(code ?? 1));
