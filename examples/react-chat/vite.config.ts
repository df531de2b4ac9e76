/** Vite over the SDK's source, so that a change in sdk/ shows at once; a separate application needs only the plugin. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const source = (entry: string): string => `${import.meta.dirname}/../../sdk/src/${entry}index.ts`;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: {
    alias: [
      {
        find: /^@twinedge\/sdk\/(core|live-agent|ai-sdk|devtools)$/,
        replacement: `${import.meta.dirname}/../../sdk/src/$1/index.ts`,
      },
      { find: /^@twinedge\/sdk$/, replacement: source("") },
    ],
  },
});
