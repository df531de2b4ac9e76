/**
 * The build's chunks for the screens, and which of them the page at an address needs first: a browser then fetches them in parallel
 * with the first script instead of after it.
 */
import type { Plugin } from "vite";

interface ScreenFile {
  readonly name: string;
  /** The modules in the chunk, with their imports. */
  readonly modules: RegExp;
  /** Addresses below /console that start with it; empty for chunks that are loaded later. */
  readonly addresses?: RegExp;
}

/** Listed in the order in which chunks take shared imports. */
export const screenFiles: readonly ScreenFile[] = [
  {
    name: "registry-screen",
    modules: /\/registry\/(registry-screen|record-changes|conflict-notice)\.tsx?$/,
    addresses: /^\/registry(\/|$)/,
  },
  {
    name: "registry-schema",
    modules: /\/api\/forms\/create-domain\.json$/,
    addresses: /^\/registry\/(new|import|domains\/[^/]+\/edit)$/,
  },
  { name: "registry-domain", modules: /\/registry\/domain\//, addresses: /^\/registry\/domains\/[^/]+$/ },
  { name: "registry-form", modules: /\/registry\/form\//, addresses: /^\/registry\/(new|domains\/[^/]+\/edit)$/ },
  { name: "registry-import", modules: /\/registry\/import\//, addresses: /^\/registry\/import$/ },
  { name: "votes-screen", modules: /\/votes\/votes-screen\.tsx$/, addresses: /^\/votes(\/|$)/ },
  { name: "phone-screen", modules: /\/phone\/phone-screen\.tsx$/, addresses: /^\/phone(\/|$)/ },
  { name: "phone-operator", modules: /\/phone\/operator\//, addresses: /^\/phone\/operator(\/|$)/ },
  {
    name: "chat-screen",
    modules: /\/(chat\/chat-screen\.tsx|core\/(ucan-token|key-issuer)\.ts)$/,
    addresses: /^\/chat(\/|$)/,
  },
  { name: "chat-panels", modules: /\/chat\/open-panel\.tsx$/ },
  { name: "queries-screen", modules: /\/queries\/queries-screen\.tsx$/, addresses: /^\/queries(\/|$)/ },
  { name: "keys-screen", modules: /\/keys\/keys-screen\.tsx$/, addresses: /^\/keys(\/|$)/ },
  { name: "staff-screen", modules: /\/staff\/staff-screen\.tsx$/, addresses: /^\/staff(\/|$)/ },
  { name: "invitation-page", modules: /\/staff\/invitation-page\.tsx$/, addresses: /^\/invitation$/ },
];

/** Writes a link into the page for each file, with its addresses; the Worker keeps only the links of the requested address. */
export function linkScreenFiles(): Plugin {
  return {
    name: "link-screen-files",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        return screenFiles.flatMap(({ name, addresses }) => {
          if (addresses === undefined) return [];
          const chunk = chunks.find((each) => each.name === name);
          if (chunk === undefined) throw new Error(`The build has no file "${name}".`);
          const attrs = { rel: "modulepreload", crossorigin: true, href: `/console/${chunk.fileName}` };
          return { tag: "link", attrs: { ...attrs, "data-addresses": addresses.source }, injectTo: "head" as const };
        });
      },
    },
  };
}
