/**
 * The npm package `@twinedge/sdk` as applications get it: packed, then resolved and compiled by each supported kind of consumer,
 * and bundled to measure its size.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectEnvironment } from "../../../scripts/run-command.ts";
import { programSize, type ProgramSize } from "../../../scripts/sdk/bundle-size.ts";
import { sdkEntries, sdkManifest } from "../../../scripts/sdk/entries.ts";
import { installPackages } from "../../support/sdk/sdk-consumer.ts";

/** Bytes after `gzip -9`, without React, zod and TanStack Query. */
const ROOT_LIMIT = 30 * 1024;
const CORE_LIMIT = 22 * 1024;
/** Maximum added bytes of one small export. */
const ONE_EXPORT_LIMIT = 3000;
/** Maximum bytes that the entry adds to an application with a chat. */
const LIVE_AGENT_LIMIT = 6 * 1024;

const repository = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "twinedge-sdk-package-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}
let packed: Packed;
let tarball: string;

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "./sdk", "--json", "--pack-destination", folder], { cwd: repository });
  [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [Packed];
  tarball = join(folder, basename(packed.filename));
});

/** The oldest version of TanStack Query that the SDK supports, under its alias here. */
const OLDEST_QUERY = "react-query-5-29";

/** A folder with the package and the packages that npm installs with it; `react: "react-18"` installs that one as `react`. */
async function application(
  name: string,
  { react = "react", zod = "zod", query = "@tanstack/react-query" } = {},
  others: readonly string[] = [],
): Promise<string> {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), '{ "type": "module" }');
  await installPackages(path, tarball, [
    ["react", react],
    ["react-dom", react.replace("react", "react-dom")],
    ["@types/react", react.replace("react", "@types/react")],
    ["zod", zod],
    ["@tanstack/react-query", query],
    ...others,
  ]);
  return path;
}

/** The output of a failed program, or an empty text. */
async function complaints(program: string, ...words: readonly string[]): Promise<string> {
  try {
    await run(program, words, { env: projectEnvironment({ NO_COLOR: "1" }) });
    return "";
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}

describe("the tarball", () => {
  test("contains modules, declarations and documents, and neither sources nor tests", () => {
    const others = packed.files.filter(({ path }) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path));
    expect(others.map(({ path }) => path).toSorted()).toEqual(["LICENSE", "MIGRATION.md", "README.md", "package.json"]);
    expect(packed.files.filter(({ path }) => /\btests?\b/.test(path))).toEqual([]);
    const licences = [join(repository, "sdk/LICENSE"), join(repository, "LICENSE")].map((path) => readFileSync(path));
    expect(licences[0]).toEqual(licences[1]);
  });

  test("publint and attw report nothing [SD-210]", async () => {
    expect(await complaints("publint", "--strict", tarball)).toBe("");
    // There are no CommonJS modules, and no consumer needs them.
    expect(await complaints("attw", "--profile", "esm-only", tarball)).toBe("");
  });
});

const compilers = {
  "TypeScript 7": join(repository, "node_modules/typescript"),
  // The version in the console's packages. Before 5.9, LiveKit's declarations do not compile.
  "TypeScript 5.9": join(repository, "console/node_modules/typescript"),
};

/** An older compiler takes ten seconds for each, so it compiles only the oldest and the newest packages. */
const consumers = [
  { react: "react-18", zod: "zod-3", compiler: "TypeScript 7", resolution: "bundler" },
  { react: "react-18", zod: "zod", compiler: "TypeScript 7", resolution: "bundler" },
  { react: "react", zod: "zod-3", compiler: "TypeScript 7", resolution: "nodenext" },
  { react: "react", zod: "zod", compiler: "TypeScript 7", resolution: "nodenext" },
  { react: "react-18", zod: "zod-3", compiler: "TypeScript 5.9", resolution: "nodenext" },
  { react: "react", zod: "zod", compiler: "TypeScript 5.9", resolution: "bundler" },
] as const;

interface Compilation {
  readonly compiler: keyof typeof compilers;
  readonly resolution: "bundler" | "nodenext";
  readonly options?: object;
}

/** The compiler's output for an application's sources. */
async function compilation(
  path: string,
  sources: Readonly<Record<string, string>>,
  { compiler, resolution, options = {} }: Compilation,
): Promise<string> {
  const compilerOptions = {
    target: "ES2022",
    module: resolution === "bundler" ? "ESNext" : "NodeNext",
    moduleResolution: resolution,
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    jsx: "react-jsx",
    strict: true,
    skipLibCheck: false,
    // The packages are links into the repository; with this option, each finds its imports next to itself here.
    preserveSymlinks: true,
    noEmit: true,
    types: [],
    ...options,
  };
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(path, name), text);
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(sources) }));
  const program = createRequire(join(compilers[compiler], "package.json")).resolve("./bin/tsc");
  // On one core, more checkers would repeat each other's work.
  const checkers = compiler === "TypeScript 7" ? ["--checkers", "1"] : [];
  return complaints(process.execPath, program, "-p", path, "--pretty", "false", ...checkers);
}

test("compiles with skipLibCheck: false with the oldest TanStack Query [SD-211, SD-294]", async () => {
  const path = await application("oldest query", { react: "react-18", query: OLDEST_QUERY });
  const sources = { "application.tsx": applicationSource };
  expect(await compilation(path, sources, { compiler: "TypeScript 7", resolution: "bundler" })).toBe("");
});

test("declares the versions that it works with, and bundles no React, zod or TanStack Query [SD-294]", () => {
  const { dependencies, peerDependencies } = sdkManifest();
  expect(peerDependencies).toMatchObject({
    "@tanstack/react-query": "^5.29.0",
    react: "^18.0.0 || ^19.0.0",
    zod: "^3.5.0 || ^4.0.0",
  });
  expect(Object.keys(dependencies).filter((name) => Object.hasOwn(peerDependencies, name))).toEqual([]);
});

test.each(consumers)(
  "compiles with skipLibCheck: false with $react and $zod, by $compiler and $resolution [SD-211]",
  async ({ react, zod, compiler, resolution }) => {
    const path = await application(`${react} ${zod} ${compiler}`, { react, zod });
    const sources = { "application.tsx": applicationSource };
    expect(await compilation(path, sources, { compiler, resolution })).toBe("");
  },
);

test("the AI SDK's entry compiles with skipLibCheck: false with the AI SDK [SD-211]", async () => {
  const path = await application("with the AI SDK", {}, ["ai", "@ai-sdk/react", "@types/node", "@types/json-schema"]);
  const source = `import { useChat } from "@ai-sdk/react";
    import { createOracleTransport } from "@twinedge/sdk/ai-sdk";
    import type { OracleClient } from "@twinedge/sdk/core";
    export const useOracle = (client: OracleClient) => useChat({ id: "1", transport: createOracleTransport({ client }) });`;
  // The AI SDK's own declarations require Node's types, and those of JSON Schema.
  const options = { types: ["node"] };
  expect(
    await compilation(path, { "ai.ts": source }, { compiler: "TypeScript 7", resolution: "bundler", options }),
  ).toBe("");
});

test("the code of the README compiles [SD-211]", async () => {
  const readme = readFileSync(join(repository, "sdk/README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```tsx?\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
  expect(blocks.length).toBeGreaterThan(10);
  const sources = Object.fromEntries(blocks.map((text, index) => [`block-${index}.tsx`, `${text}export {};\n`]));
  const path = await application("of the README", {}, [
    "ai",
    "@ai-sdk/react",
    "@types/node",
    "@types/json-schema",
    "@types/react-dom",
  ]);
  const options = { types: ["node"] };
  const kind = { compiler: "TypeScript 7", resolution: "bundler", options } as const;
  expect(await compilation(path, { "given.d.ts": readmeSurroundings, ...sources }, kind)).toBe("");
});

/** The application code that the README's samples rely on. */
const readmeSurroundings = `
declare const oracleDid: string, sessionId: string;
declare const showPayment: (claimIds: string[]) => void;
declare const signer: import("@twinedge/sdk/core").OracleSigner;
declare const user: import("@twinedge/sdk").IWalletProps & {
  wallet: {
    signAndBroadcast: import("@twinedge/sdk").TransactionFn;
    signDelegation: import("@twinedge/sdk").CreateDelegationFn;
    signInvocation: import("@twinedge/sdk").CreateInvocationFn;
  };
};
`;

/** All except the AI SDK's, whose packages are optional for an application. */
const entryNames = sdkEntries().flatMap(({ name }) => (name.endsWith("/ai-sdk") ? [] : [name]));

/** Every declaration is compiled, and the arguments of an action have the type of its schema. */
const applicationSource = `
${entryNames.map((name, index) => `import * as entry${index} from "${name}";`).join("\n")}
import { OraclesProvider, useAgAction, useChat } from "@twinedge/sdk";
import { createSigner } from "@twinedge/sdk/core";
import * as z from "zod";

export const entries = [${entryNames.map((_, index) => `entry${index}`).join(", ")}];
const signer = await createSigner();

export function Chat() {
  useAgAction({
    name: "show",
    description: "Shows a city",
    parameters: z.object({ city: z.string() }),
    handler: ({ city }) => city.toUpperCase(),
    render: ({ args }) => <p>{args?.city.toUpperCase()}</p>,
  });
  const schema = z.object({ id: z.string() });
  const fn = async () => 1;
  const { messages } = useChat({
    oracleDid: "did:ixo:entity:1",
    sessionId: "1",
    onPaymentRequiredError: (claimIds) => claimIds.map((id) => id.trim()),
    browserTools: { pick: { toolName: "pick", description: "Picks", schema, fn } },
  });
  // @ts-expect-error: there is no such member.
  messages.isStreaming;
  return <p>{messages.length}</p>;
}

export const application = (
  <OraclesProvider {...signer}>
    <Chat />
  </OraclesProvider>
);
`;

test("renders on the server with React 18, zod 3 and the oldest TanStack Query [SD-212, SD-294]", async () => {
  const path = await application("oldest", { react: "react-18", zod: "zod-3-5", query: OLDEST_QUERY });
  writeFileSync(
    join(path, "render.mjs"),
    `import { createElement, version } from "react";
    import { renderToString } from "react-dom/server";
    import { OraclesProvider, useAgAction, useChat } from "@twinedge/sdk";
    import { createSigner } from "@twinedge/sdk/core";
    import * as z from "zod";
    const signer = await createSigner({ store: null });
    const overrides = { baseUrl: "http://localhost:1" };
    function Chat() {
      const action = { name: "show", description: "Shows", parameters: z.object({ a: z.string() }), handler: () => 1 };
      useAgAction(action);
      const chat = useChat({ oracleDid: "did:ixo:entity:1", sessionId: "1", onPaymentRequiredError: () => {}, overrides });
      return createElement("p", null, version, " ", chat.messages.length);
    }
    console.log(renderToString(createElement(OraclesProvider, signer, createElement(Chat))));`,
  );
  const words = ["--preserve-symlinks", "--preserve-symlinks-main", join(path, "render.mjs")];
  const { stdout } = await run(process.execPath, words);
  expect(stdout).toMatch(/^<p>18\.3\.1.*0<\/p>\n$/);
});

describe("in an application's bundle", () => {
  const given = ["react", "react-dom", "zod", "@tanstack/react-query", "ai"];
  let path: string;
  beforeAll(async () => {
    path = await application("bundled");
  });

  test("the root, the core and calls are small, and rarely needed code is loaded later [SD-213]", async () => {
    const [root, core] = [await sizeOf("@twinedge/sdk"), await sizeOf("@twinedge/sdk/core")];
    const chat = 'export { OraclesProvider, useChat } from "@twinedge/sdk";';
    const calls = 'export * from "@twinedge/sdk/live-agent";';
    const [without, withCalls] = [await programSize(chat, path, given), await programSize(chat + calls, path, given)];
    const shell = withCalls.atOnce - without.atOnce;
    const later = { ...root.later, ...withCalls.later };
    const sizes = { root: root.atOnce, core: core.atOnce, "live-agent": shell, later };
    process.stdout.write(`${JSON.stringify(sizes, undefined, 2)}\n`);
    expect(root.atOnce).toBeLessThanOrEqual(ROOT_LIMIT);
    expect(core.atOnce).toBeLessThanOrEqual(CORE_LIMIT);
    expect(shell).toBeLessThanOrEqual(LIVE_AGENT_LIMIT);
    const isRare = /node_modules\/(livekit-client|@ucanto|eciesjs|@noble)\//;
    for (const { modules } of [root, core, withCalls])
      expect(modules.filter((module) => isRare.test(module))).toEqual([]);
  });

  test("code that an application does not import is omitted [SD-213]", async () => {
    const did = await sizeOf("@twinedge/sdk/core", "{ readOracleDid }");
    const draw = await sizeOf("@twinedge/sdk", "{ renderMessageContent }");
    for (const { modules, atOnce } of [did, draw]) {
      expect(modules.filter((module) => /node_modules\/(?!@twinedge\/sdk\/)/.test(module))).toEqual([]);
      expect(atOnce).toBeLessThan(ONE_EXPORT_LIMIT);
    }
  });

  function sizeOf(entry: string, names = "*"): Promise<ProgramSize> {
    return programSize(`export ${names} from "${entry}";`, path, given);
  }
});
