/**
 * `npm run gateway`: prints the route table of a running query gateway, checks a chain node before it is added to a configuration,
 * and creates a descriptor set from a node. This file binds it to the process; start reading in `gateway/`.
 */
import { createGrpcTransport } from "@connectrpc/connect-node";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAs } from "./command.ts";
import { gatewayCommand, type GatewayCommand } from "./gateway/arguments.ts";
import { checkNode } from "./gateway/check-node.ts";
import { imageOfNode, NODE_ANSWER_BYTES_MAX } from "./gateway/node-image.ts";
import { printRoutes } from "./gateway/routes.ts";
import { projectRoot } from "./run-command.ts";
import { reasonOf } from "./server-address.ts";

// A reader such as `head` that stops early is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runAs(gatewayCommand, async (asked) => {
  const failed = await run(asked);
  if (failed === undefined) return 0;
  process.stderr.write(`npm run gateway: ${failed}\n`);
  return 1;
});

/** The reason for a failure; undefined on success. */
async function run(asked: GatewayCommand): Promise<string | undefined> {
  if (asked.kind === "routes") return await printRoutes(asked.url, { fetch, print });
  const builtIn = readFileSync(join(projectRoot, "proto/descriptors/ixo.binpb"));
  const { node, timeoutMs } = asked;
  if (asked.kind === "check") return await checkNode(node, { image: builtIn, timeoutMs, fetch, print });
  const transport = createGrpcTransport({ baseUrl: node, readMaxBytes: NODE_ANSWER_BYTES_MAX });
  const made = await imageOfNode(node, { transport, builtIn, timeoutMs });
  if (typeof made === "string") return made;
  try {
    writeFileSync(asked.out, made.image);
  } catch (error) {
    return `${asked.out} cannot be written: ${reasonOf(error)}`;
  }
  print(`${asked.out}: ${made.routes} routes of ${made.services} services, ${Math.ceil(made.image.length / 1000)} kB`);
  print(`Serve it with: npm start -- --gateway-image ${asked.out}`);
  return undefined;
}
