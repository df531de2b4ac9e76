/** `npm run package:sdk`, and what `npm pack ./sdk` runs first: builds `@twinedge/sdk` into sdk/dist (sdk/build.ts). */
import { buildSdk } from "./sdk/build.ts";

const WRONG_USAGE = 2;
const usage = `Usage: npm run package:sdk

Builds the package @twinedge/sdk into sdk/dist: \`npm pack ./sdk\` packs it. It takes no options.
`;

const [option] = process.argv.slice(2);
if (option !== undefined) {
  process.stdout.write(usage);
  process.exitCode = option === "--help" ? 0 : WRONG_USAGE;
} else {
  try {
    await buildSdk();
  } catch (error) {
    process.stderr.write(`npm run package:sdk: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
