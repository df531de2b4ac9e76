/** `npm run package`, which `npm pack` also runs first: builds the package `twinedge` into dist/package (package/build.ts). */
import { buildPackage } from "./package/build.ts";
import { runPlain } from "./command.ts";

const usage = `Usage: npm run package

Builds the package twinedge into dist/package: \`npm pack\` packs it. It takes no options.
`;

await runPlain("npm run package", usage, async () => {
  await buildPackage();
  return 0;
});
