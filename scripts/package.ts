/** `npm run package`, and what `npm pack` runs first: builds the package `twinedge` into dist/package (package/build.ts). */
import { buildPackage } from "./package/build.ts";

try {
  await buildPackage();
} catch (error) {
  process.stderr.write(`npm run package: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
