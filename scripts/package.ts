/** `npm run package`, and what `npm pack` runs first: builds the package `twinedge` into dist/package (package/build.ts). */
import { buildPackage } from "./package/build.ts";
import { WRONG_USAGE, wrongUsage } from "./wrong-usage.ts";

const usage = `Usage: npm run package

Builds the package twinedge into dist/package: \`npm pack\` packs it. It takes no options.
`;

const [option] = process.argv.slice(2);
if (option === "--help") process.stdout.write(usage);
else if (option !== undefined) {
  process.stderr.write(wrongUsage("npm run package", new Error("it takes no options")));
  process.exitCode = WRONG_USAGE;
} else {
  try {
    await buildPackage();
  } catch (error) {
    process.stderr.write(`npm run package: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
