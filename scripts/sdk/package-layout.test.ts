import { expect, test } from "vitest";
import { packageFiles, packageOf, packagesIn } from "./package-layout.ts";

const emitted: Readonly<Record<string, string>> = {
  "sdk/src/core/index.js": 'export { send } from "./send.js";\nconst late = () => import("../react/hook.js");\n',
  "sdk/src/core/send.js":
    'import { LIMIT } from "../../../protocol/limits.js";\nimport { io } from "socket.io-client";\n',
  "sdk/src/react/hook.js": '"use client";\nimport "../core/send.js";\n',
  "sdk/src/react/unused.js": 'import "./gone.js";\n',
  "protocol/limits.js": "export const LIMIT = 1;\n",
};

test("the package contains the files that an entry reaches, with the SDK's sources at its top and adjusted imports", () => {
  const files = packageFiles(["sdk/src/core/index"], ".js", (path) => emitted[path] ?? "");
  expect([...files]).toEqual([
    ["core/index.js", 'export { send } from "./send.js";\nconst late = () => import("../react/hook.js");\n'],
    ["core/send.js", 'import { LIMIT } from "../protocol/limits.js";\nimport { io } from "socket.io-client";\n'],
    ["react/hook.js", '"use client";\nimport "../core/send.js";\n'],
    ["protocol/limits.js", "export const LIMIT = 1;\n"],
  ]);
});

test("a folder imports the file next to it with its name", () => {
  const text = 'import { IDLE } from "../chat.js";\n';
  const files = packageFiles(["sdk/src/chat/turn"], ".js", (path) => (path === "sdk/src/chat/turn.js" ? text : ""));
  expect([...files]).toEqual([
    ["chat/turn.js", text],
    ["chat.js", ""],
  ]);
});

test("declarations keep .ts and .tsx in their imports until then", () => {
  const text = 'export * from "./card.tsx";\nexport type A = import("./wire.ts").A;\n';
  const files = packageFiles(["sdk/src/index"], ".d.ts", (path) => (path === "sdk/src/index.d.ts" ? text : ""));
  expect(files.get("index.d.ts")).toBe('export * from "./card.js";\nexport type A = import("./wire.js").A;\n');
  expect([...files.keys()]).toEqual(["index.d.ts", "card.d.ts", "wire.d.ts"]);
});

test("a text's packages are named without the subpath", () => {
  const text =
    'import "a/b";\nimport { c } from "@d/e/f";\nimport("g");\nimport h from "./i.js";\nimport j from "a";\n';
  expect(packagesIn(text)).toEqual(["a", "@d/e", "g"]);
  expect([packageOf("react/jsx-runtime"), packageOf("@ucanto/core")]).toEqual(["react", "@ucanto/core"]);
});
