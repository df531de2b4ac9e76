/**
 * Makes every dynamic import of the built console fetch its files before it imports them. A browser may keep a failed import for as
 * long as the page is open (Chromium does), so that a retry would fail without a request; a failed fetch can be retried.
 */
import { basename } from "node:path";
import type { Plugin } from "vite";

interface Chunk {
  readonly fileName: string;
  readonly imports: readonly string[];
}

/** The form in which the bundler writes a dynamic import of another chunk. */
const DYNAMIC_IMPORT = /\bimport\((["`'])\.\/([^"`']+\.js)\1\)/g;

/** The body is read, so that the import finds the whole file in the browser's cache. */
const FETCH_FILE = "async u=>{const r=await fetch(u);if(!r.ok)throw Error(u+' '+r.status);await r.arrayBuffer()}";

export function retryableImports(): Plugin {
  return {
    name: "retryable-imports",
    apply: "build",
    // The names of the files contain a hash, which is computed before this plugin changes their content.
    augmentChunkHash: () => FETCH_FILE,
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const byName = new Map<string, Chunk>(chunks.map((chunk) => [basename(chunk.fileName), chunk]));
        for (const chunk of chunks) {
          const loaded = filesOf(basename(chunk.fileName), byName);
          const expected = new Set(
            chunk.dynamicImports.map((file) => basename(file)).filter((name) => !loaded.has(name)),
          );
          chunk.code = chunk.code.replace(DYNAMIC_IMPORT, (importText: string, _quote: string, name: string) => {
            expected.delete(name);
            const missing = [...filesOf(name, byName)].filter((file) => !loaded.has(file));
            return missing.length === 0 ? importText : fetchedImport(importText, missing);
          });
          if (expected.size > 0)
            throw new Error(`${chunk.fileName} imports ${[...expected].join()} in a form that is not handled.`);
        }
      },
    },
  };
}

/** The names of a chunk and of every chunk that it imports statically. */
function filesOf(name: string, chunks: ReadonlyMap<string, Chunk>, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const file of chunks.get(name)?.imports ?? []) filesOf(basename(file), chunks, found);
  return found;
}

function fetchedImport(importText: string, files: readonly string[]): string {
  const addresses = JSON.stringify(files.map((file) => `/console/assets/${file}`));
  return `Promise.all(${addresses}.map(${FETCH_FILE})).then(()=>${importText})`;
}
