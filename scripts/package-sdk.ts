/** `npm run package:sdk`, and what `npm pack ./sdk` runs first: builds `@twinedge/sdk` into sdk/dist (sdk/build.ts). */
import { buildSdk } from "./sdk/build.ts";

try {
  await buildSdk();
} catch (error) {
  process.stderr.write(`npm run package:sdk: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
