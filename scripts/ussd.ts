/**
 * `npm run ussd`: a phone in the terminal, and a replayer of recorded flows. It uses the server's HTTP interface only. This
 * file binds `ussd/run-ussd.ts` to the process.
 */
import { randomInt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { runAs } from "./command.ts";
import { ussdCommand } from "./ussd/arguments.ts";
import { runUssd, type UssdProcess } from "./ussd/run-ussd.ts";

await runAs(ussdCommand, (options) => runUssd(options, thisProcess()));

function thisProcess(): UssdProcess {
  const interrupt = new AbortController();
  const isInteractive = process.stdin.isTTY && process.stdout.isTTY;
  const stop = (): void => interrupt.abort();
  // A second Ctrl-C ends the process. A reader that closes the pipe early (`| head`) interrupts the run.
  process.once("SIGINT", stop).once("SIGTERM", stop);
  process.stdout.on("error", stop);

  async function* lines(): AsyncGenerator<string> {
    const reader = createInterface({
      input: process.stdin,
      ...(isInteractive ? { output: process.stdout } : {}),
      signal: interrupt.signal,
    });
    // On a terminal `readline` handles Ctrl-C itself.
    reader.once("SIGINT", stop);
    yield* reader;
    interrupt.signal.throwIfAborted();
  }

  return {
    environment: process.env,
    lines: lines(),
    isInteractive,
    colours: process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "",
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    prompt: () => isInteractive && void process.stdout.write("> "),
    readFile: (path) => readFileSync(path, "utf8"),
    // A Zambian number; its last digit keeps it from ending with any PIN of the flows.
    freshPhone: () => `+26097${String(randomInt(10 ** 6)).padStart(6, "0")}5`,
    fetch,
    newSessionId: () => randomUUID(),
    interrupted: interrupt.signal,
    wait: (milliseconds) => wait(milliseconds, undefined, { signal: interrupt.signal }),
  };
}
