/** `npm run package:sdk`, which `npm pack ./sdk` also runs first: builds `@twinedge/sdk` into sdk/dist (sdk/build.ts). */
import { buildSdk } from "./sdk/build.ts";
import { runPlain } from "./command.ts";

const usage = `Usage: npm run package:sdk

Builds the package @twinedge/sdk into sdk/dist: \`npm pack ./sdk\` packs it. It takes no options.
`;

await runPlain("npm run package:sdk", usage, async () => {
  await buildSdk();
  return 0;
});
