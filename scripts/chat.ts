/**
 * `npm run chat`: a terminal client of the oracle, and an example of how to write one. It uses protocol/ and the HTTP
 * interface alone. This file binds it to the process; `chat/run-chat.ts` is where to read on.
 */
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runChat } from "./chat/run-chat.ts";

const interruption = new AbortController();
process.once("SIGINT", () => interruption.abort());

// The reader of the pipe has closed it, as `| head` does.
process.stdout.on("error", () => interruption.abort());

const coloured = (stream: NodeJS.WriteStream) => stream.isTTY && (process.env["NO_COLOR"] ?? "") === "";

process.exitCode = await runChat(process.argv.slice(2), {
  environment: process.env,
  projectDirectory: dirname(import.meta.dirname),
  terminal: {
    answer: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    colours: { answer: coloured(process.stdout), note: coloured(process.stderr) },
  },
  fetch,
  now: Date.now,
  wait: async (milliseconds) => await delay(milliseconds, undefined, { signal: interruption.signal }),
  randomSeed: () => new Uint8Array(randomBytes(32)),
  interrupted: interruption.signal,
});
