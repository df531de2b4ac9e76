/**
 * The command `twinedge` of the npm package: `npm run chat` and `npm run token` for an author's oracle. It uses the port of
 * `wrangler dev`, and stores its key in the home directory, where no project can commit it.
 */
import { homedir } from "node:os";
import { chatCommand } from "../chat/command-line.ts";
import { runChat } from "../chat/run-chat.ts";
import { terminalProcess } from "../chat/terminal-process.ts";
import { runTokenCommand } from "../token/terminal-process.ts";
import { WRONG_USAGE } from "../wrong-usage.ts";
import { inWordsOfPackage, WRANGLER_PORT } from "./wording.ts";

const usage = `Usage: npx twinedge chat [options] "your message"
       npx twinedge token [options]

chat   talks to an oracle in the terminal
token  prints tokens for curl

Each explains its options with --help.
`;

const [command, ...words] = process.argv.slice(2);
const terminal = {
  environment: { PORT: WRANGLER_PORT, ...process.env },
  projectDirectory: homedir(),
  wording: inWordsOfPackage,
};

if (command === "chat" && words.some((word) => word === "--help" || word === "-h")) {
  process.stdout.write(inWordsOfPackage(chatCommand.usage));
} else if (command === "chat") process.exitCode = await runChat(words, terminalProcess(terminal));
else if (command === "token") process.exitCode = await runTokenCommand(words, terminal);
else if (command === "--help" || command === "-h") process.stdout.write(usage);
else {
  process.stderr.write(usage);
  process.exitCode = WRONG_USAGE;
}
