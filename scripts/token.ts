/**
 * `npm run token`: an invocation and a delegation for curl and the API reference, signed with the key of `npm run chat`. Start
 * reading at `token/run-token.ts`.
 */
import { projectRoot } from "./run-command.ts";
import { runTokenCommand } from "./token/terminal-process.ts";

process.exitCode = await runTokenCommand(process.argv.slice(2), {
  environment: process.env,
  projectDirectory: projectRoot,
});
