/**
 * `npm run gateway`: prints the route table of a running query gateway, and looks at a chain node before it is written into
 * a configuration (contract D). This file binds it to the process; `gateway/` is where to read on.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseGateway, usage } from "./gateway/arguments.ts";
import { checkNode } from "./gateway/check-node.ts";
import { printRoutes } from "./gateway/routes.ts";
import { projectRoot } from "./run-command.ts";

const WRONG_USAGE = 2;

const command = parseGateway(process.argv.slice(2), process.env);
// A reader such as `head` that has seen enough is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
if (command === "help") process.stdout.write(usage);
else if (command instanceof Error) {
  process.stderr.write(`npm run gateway: ${command.message}\n\n${usage}`);
  process.exitCode = WRONG_USAGE;
} else {
  const failed =
    command.kind === "routes"
      ? await printRoutes(command.url, { fetch, print })
      : await checkNode(command.node, {
          image: readFileSync(join(projectRoot, "proto/descriptors/ixo.binpb")),
          timeoutMs: command.timeoutMs,
          fetch,
          print,
        });
  if (failed !== undefined) {
    process.stderr.write(`npm run gateway: ${failed}\n`);
    process.exitCode = 1;
  }
}
