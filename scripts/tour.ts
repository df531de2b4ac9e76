/**
 * `npm run tour`: starts the Worker and the mock servers that its plugins use, runs one conversation with them, and prints the
 * observations. Exits with 1 at the first step that differs.
 */
import buildWorker from "../test/support/server/built-worker.ts";
import { runTour } from "./tour/run-tour.ts";
import { runPlain } from "./command.ts";

const usage = `Usage: npm run tour

Starts the Worker on a free port with temporary storage, together with mock servers of other services. Then runs one
conversation: each step prints its observations, and the first step that fails stops the tour with exit code 1.
Nothing leaves this machine, and nothing is kept. Ctrl-C stops everything.
`;

await runPlain("npm run tour", usage, async () => {
  const removeBuilt = await buildWorker({ provide: () => undefined });
  const isDone = await runTour((line) => process.stdout.write(`${line}\n`));
  removeBuilt();
  return isDone ? 0 : 1;
});
