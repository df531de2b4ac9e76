import { expect, test } from "vitest";
import { reachedFrom } from "./declarations.ts";

test("an entry's declarations are those that it reaches, imported as JavaScript [OR-196]", () => {
  const files: Record<string, string> = {
    "workers/index.d.ts":
      'export { a } from "./a.ts";\nimport type { B } from "../protocol/b.ts";\nimport * as z from "zod";\n',
    "workers/a.d.ts": 'export declare const a: import("../protocol/b.ts").B;\nimport "./index.ts";\n',
    "protocol/b.d.ts": "export interface B {}\n",
    "workers/secret.d.ts": "export {};\n",
  };
  const reached = reachedFrom(["workers/index.d.ts"], (path) => files[path] ?? "");
  expect(Object.fromEntries(reached)).toEqual({
    "workers/index.d.ts":
      'export { a } from "./a.js";\nimport type { B } from "../protocol/b.js";\nimport * as z from "zod";\n',
    "workers/a.d.ts": 'export declare const a: import("../protocol/b.js").B;\nimport "./index.js";\n',
    "protocol/b.d.ts": "export interface B {}\n",
  });
});
