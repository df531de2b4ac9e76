/** The tools' own texts, with the commands of the npm package instead of this repository's. */

/** Where `wrangler dev` listens. */
export const WRANGLER_PORT = "8787";

const words: readonly (readonly [string, string])[] = [
  ["npm run -s token", "npx twinedge token"],
  ["npm run chat --", "npx twinedge chat"],
  ["npm run token --", "npx twinedge token"],
  ["npm run chat", "npx twinedge chat"],
  ["npm run token", "npx twinedge token"],
  [
    '/docs, Authorize, the invocation under "invocation" and the word ucan under "authType".',
    "/openapi.json, which any reader of OpenAPI documents shows with its routes.",
  ],
  ["npm start", "npx wrangler dev"],
  ["http://localhost:3000", `http://localhost:${WRANGLER_PORT}`],
  ["stored in .twinedge/chat", "stored in ~/.twinedge/chat"],
];

export function inWordsOfPackage(text: string): string {
  return words.reduce((rewritten, [ours, theirs]) => rewritten.replaceAll(ours, theirs), text);
}
