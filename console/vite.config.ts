/** Builds the console from its source and the SDK's into hashed files that the Worker serves below /console. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { retryableImports } from "./retryable-imports.ts";
import { linkScreenFiles, screenFiles } from "./screen-files.ts";

const sdkSource = `${import.meta.dirname}/../sdk/src`;

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [react(), linkScreenFiles(), retryableImports()],
  resolve: {
    alias: [
      { find: /^@twinedge\/sdk\/(core|live-agent|ai-sdk|devtools)$/, replacement: `${sdkSource}/$1/index.ts` },
      { find: /^@twinedge\/sdk$/, replacement: `${sdkSource}/index.ts` },
    ],
  },
  build: {
    outDir: `${import.meta.dirname}/../dist/assets/console`,
    emptyOutDir: true,
    target: "es2023",
    // One style sheet, loaded once; a data: URL would need another permission in the content security policy.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    // Dynamic imports fetch their files themselves, see retryable-imports.ts.
    modulePreload: false,
    reportCompressedSize: false,
    // A first visit waits for each file: one contains the shared start of every screen, one everything that a screen needs at once.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "base", tags: ["$initial"], priority: 2 },
            ...screenFiles.map(({ name, modules }) => ({ name, test: modules, priority: 1 })),
          ],
        },
      },
    },
    // Maps chunks to modules, for the size tests.
    manifest: true,
  },
});
