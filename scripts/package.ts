/** `npm run package`, and what `npm pack` runs first: builds the package `twinedge` into dist/package (package/build.ts). */
import { buildPackage } from "./package/build.ts";

const WRONG_USAGE = 2;
const usage = `Usage: npm run package

Builds the package twinedge into dist/package: \`npm pack\` packs it. It takes no options.
`;

const [option] = process.argv.slice(2);
if (option !== undefined) {
  process.stdout.write(usage);
  process.exitCode = option === "--help" ? 0 : WRONG_USAGE;
} else {
  try {
    await buildPackage();
  } catch (error) {
    process.stderr.write(`npm run package: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
