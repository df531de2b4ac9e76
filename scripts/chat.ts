/**
 * `npm run chat`: a terminal client of the oracle, and an example of a client on the SDK's core. Start reading at
 * `chat/run-chat.ts`.
 */
import { runChat } from "./chat/run-chat.ts";
import { terminalProcess } from "./chat/terminal-process.ts";
import { projectRoot } from "./run-command.ts";

process.exitCode = await runChat(
  process.argv.slice(2),
  terminalProcess({ environment: process.env, projectDirectory: projectRoot }),
);
