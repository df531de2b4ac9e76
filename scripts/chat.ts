/**
 * `npm run chat`: a terminal client of the oracle, and an example of how to write one on the core of the SDK. `chat/run-chat.ts` is where
 * to read on.
 */
import { runChat } from "./chat/run-chat.ts";
import { terminalProcess } from "./chat/terminal-process.ts";
import { projectRoot } from "./run-command.ts";

process.exitCode = await runChat(
  process.argv.slice(2),
  terminalProcess({ environment: process.env, projectDirectory: projectRoot }),
);
