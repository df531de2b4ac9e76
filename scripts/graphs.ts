/** `npm run graphs`: draws the graphs of docs/performance.md from bench/results.json, and the graph of docs/scaling.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineCommand, runAs } from "./command.ts";
import { drawGraph, graphs, readResults, withRun } from "./graphs/performance.ts";
import { drawScaling, SCALING } from "./graphs/scaling.ts";
import { projectRoot } from "./run-command.ts";

const usage = `Usage: npm run graphs -- [RESULTS]

Draws the graphs of docs/performance.md into docs/images from bench/results.json, and the graph of docs/scaling.md
from the simulation. RESULTS is a file with the output of
\`npm run bench -- --json\`: its measures replace the older ones in bench/results.json first.

  --help   this text

Exit codes: 0 done, 1 the results cannot be read, 2 wrong usage.
`;

const command = defineCommand({
  name: "npm run graphs",
  usage,
  options: {},
  takesWords: true,
  read({ words: [file, ...others] }) {
    if (others.length > 0) throw new Error("it takes one file of results");
    return { file };
  },
});

const path = join(projectRoot, "bench/results.json");

await runAs(command, ({ file }) => {
  try {
    const known = readResults(readFileSync(path, "utf8"));
    const results = file === undefined ? known : withRun(known, readFileSync(resolve(file), "utf8"));
    if (file !== undefined) writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
    for (const graph of graphs)
      writeFileSync(join(projectRoot, "docs/images", `${graph.name}.svg`), drawGraph(graph, results));
    writeFileSync(join(projectRoot, "docs/images", `${SCALING}.svg`), drawScaling());
    process.stdout.write(`${graphs.length + 1} graphs are drawn\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`npm run graphs: ${(error as Error).message}\n`);
    return 1;
  }
});
