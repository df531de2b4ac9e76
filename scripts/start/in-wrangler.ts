/**
 * Loaded into wrangler's process before wrangler itself. It ends wrangler with the tool that started it, and notifies that tool
 * when the runtime that holds the port has died. Wrangler restarts this runtime, but never gives it the address of the Worker's
 * runtime, so the new one holds every request forever.
 */
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { PORT_HOLDER_DIED } from "./worker-output.ts";

/** Matches the runtime that holds the port. The Worker's own runtime listens on any free port, which is 0. */
const HOLDS_PORT = /^--socket-addr=entry=.*:[1-9]\d*$/;

// When the parent is gone, even by SIGKILL, the channel between the two closes: no orphan keeps the port and the storage.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

subscribe("child_process", (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  child.once("exit", () => {
    // A runtime that wrangler ends itself gets a working successor.
    if (!child.killed && child.spawnargs.some((argument) => HOLDS_PORT.test(argument)))
      process.send?.(PORT_HOLDER_DIED);
  });
});
