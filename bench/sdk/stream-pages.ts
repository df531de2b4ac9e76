/** The measured pages as an application would ship them: minified, in production mode, one per client. */
import { build, type Plugin } from "esbuild";
import { basename, join } from "node:path";
import { pageBuild } from "../../test/support/sdk/page-bundles.ts";
import { FIELD_CLIENT } from "./field-client.ts";

export type Client = "ours" | "field" | "ai-sdk";

/** The established client's chain packages, which no message needs. */
const CHAIN_CLIENT = "module.exports = { Payments: class {} };";

/** Files by their path on the server. @param field the folder of the established client, if available. */
export async function streamPages(field: string | undefined): Promise<ReadonlyMap<string, Uint8Array>> {
  const pages = new Map<string, Uint8Array>();
  const sides: readonly (readonly [Client, string, readonly Plugin[]])[] = [
    ["ours", "stream-sdk", []],
    ...(field === undefined ? [] : [["field", "stream-sdk", [inPlaceOfOurs(field)]] as const]),
    ["ai-sdk", "stream-ai-sdk", []],
  ];
  for (const [client, page, plugins] of sides) {
    const { outputFiles } = await build({
      ...pageBuild("production"),
      entryPoints: [{ in: `test/browser/${page}.tsx`, out: "page" }],
      plugins: [...plugins],
      logLevel: "error",
    });
    for (const { path, contents } of outputFiles) pages.set(`/${client}/${basename(path)}`, contents);
    // The established client reads its network from the environment that some bundlers provide.
    const html =
      '<!doctype html><div id="root"></div><script>globalThis.process = { env: {} }</script><script type="module" src="page.js"></script>';
    pages.set(`/${client}/`, new TextEncoder().encode(html));
  }
  return pages;
}

function inPlaceOfOurs(folder: string): Plugin {
  return {
    name: "established-client",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@twinedge\/sdk$/ }, () => ({
        path: join(folder, "node_modules", FIELD_CLIENT, "dist/index.js"),
      }));
      onResolve({ filter: /^@ixo\/oracles-chain-client/ }, ({ path }) => ({ path, namespace: "chain" }));
      onLoad({ filter: /./, namespace: "chain" }, () => ({ contents: CHAIN_CLIENT }));
    },
  };
}
