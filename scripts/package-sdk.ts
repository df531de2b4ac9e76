/** `npm run package:sdk`, and what `npm pack ./sdk` runs first: builds `@twinedge/sdk` into sdk/dist (sdk/build.ts). */
import { buildSdk } from "./sdk/build.ts";
import { WRONG_USAGE, wrongUsage } from "./wrong-usage.ts";

const usage = `Usage: npm run package:sdk

Builds the package @twinedge/sdk into sdk/dist: \`npm pack ./sdk\` packs it. It takes no options.
`;

const [option] = process.argv.slice(2);
if (option === "--help") process.stdout.write(usage);
else if (option !== undefined) {
  process.stderr.write(wrongUsage("npm run package:sdk", new Error("it takes no options")));
  process.exitCode = WRONG_USAGE;
} else {
  try {
    await buildSdk();
  } catch (error) {
    process.stderr.write(`npm run package:sdk: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
