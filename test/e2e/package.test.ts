/**
 * An author who has only the npm package: it is packed and unpacked into an empty folder outside the repository, and the oracle of
 * examples/weather-oracle is compiled, started and called there. The package's dependencies are linked from here, so that no
 * network is needed; nothing else of the repository can be found from the folder.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wranglerEnvironment, wranglerProgram } from "../../scripts/wrangler.ts";
import { freePort } from "../support/server/free-port.ts";
import { createSocketUser } from "../support/oracle/socket-user.ts";
import { removeDirectory } from "../support/server/remove-directory.ts";

const repository = resolve(import.meta.dirname, "../..");
const example = join(repository, "examples/weather-oracle");
const manifest: { readonly version: string; readonly dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(repository, "package.json"), "utf8"),
);
/** Packages that an author installs in addition. */
const ownTools = ["wrangler", "typescript", "@cloudflare/workers-types", "vitest", "@cloudflare/vitest-pool-workers"];

/** Maximum bytes of JavaScript and declarations, with all bundled plugins. */
const PACKED_LIMIT = 350_000;
const UNPACKED_LIMIT = 1_300_000;

const folder = mkdtempSync(join(tmpdir(), "twinedge-author-"));
afterAll(() => removeDirectory(folder));
const run = promisify(execFile);
let packed: { size: number; unpackedSize: number; files: { path: string }[] };

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: repository });
  [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "twinedge"), { recursive: true });
  const tarball = join(folder, `twinedge-${manifest.version}.tgz`);
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(modules, "twinedge")]);
  for (const name of [...Object.keys(manifest.dependencies), ...ownTools]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(repository, "node_modules", name), join(modules, name));
  }
  for (const file of ["oracle.ts", "wrangler.toml"]) cpSync(join(example, file), join(folder, file));
  writeFileSync(join(folder, "package.json"), '{ "name": "weather-oracle", "private": true, "type": "module" }');
});

test("the package contains JavaScript and declarations, and none of its sources [OR-196]", () => {
  const others = packed.files.filter(({ path }) => !/^dist\/package\/.+\.(js|d\.ts)$/.test(path));
  expect(others.map(({ path }) => path).toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
  expect(packed.size).toBeLessThan(PACKED_LIMIT);
  expect(packed.unpackedSize).toBeLessThan(UNPACKED_LIMIT);
});

test("the example has a tool, a card and a public route in at most 30 lines [OR-210]", () => {
  const lines = readFileSync(join(folder, "oracle.ts"), "utf8").split("\n");
  const code = lines.filter((line) => line.trim() !== "" && !/^\s*(\/\/|\/?\*)/.test(line));
  expect(code.length).toBeLessThanOrEqual(30);
  for (const part of ["tool(", "render_component", "public: true", "getMiddlewares", "createOracleApp("])
    expect(code.join("\n")).toContain(part);
});

describe("its declarations compile with skipLibCheck: false [OR-196]", () => {
  async function compile(types: readonly string[], ...sources: readonly string[]): Promise<string> {
    const compilerOptions = {
      target: "ES2024",
      module: "ESNext",
      moduleResolution: "bundler",
      lib: ["ES2024"],
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      types,
    };
    return compileProject(JSON.stringify({ compilerOptions, files: ["oracle.ts", ...sources] }));
  }

  async function compileProject(text: string): Promise<string> {
    const project = join(folder, "tsconfig.json");
    writeFileSync(project, text);
    const compiler = join(repository, "node_modules/.bin/tsc");
    const { stdout } = await run(compiler, ["-p", project, "--pretty", "false"]).catch(
      (failed: unknown) => failed as { stdout: string },
    );
    return stdout;
  }

  test("with the runtime types that wrangler writes, and the author's bindings in ctx.env", async () => {
    await run(process.execPath, ["--no-warnings", wranglerProgram, "types"], {
      cwd: folder,
      env: wranglerEnvironment(),
    });
    writeFileSync(
      join(folder, "bindings.ts"),
      `import { defineOraclePlugin, KvLimitError, type PluginStatus } from "twinedge/oracle";
      import { testOracle, type TestTurn } from "twinedge/oracle/testing";
      import { oraclePool } from "twinedge/oracle/testing/pool";
      export type Used = [PluginStatus, TestTurn, KvLimitError];
      export const used = [testOracle, oraclePool()];
      defineOraclePlugin({
        name: "typed", version: "1.0.0", manifest: { title: "T", summary: "S", whenToUse: ["U"] },
        getTools: ({ env }) => { const environment: "development" = env.ENVIRONMENT; void environment; return []; },
        // @ts-expect-error: there is no such binding.
        getRoutes: ({ env }) => { void env.DATABASE; return []; },
      });`,
    );
    expect(await compile([], "worker-configuration.d.ts", "bindings.ts")).toBe("");
  });

  test("with the tsconfig.json in the example's README", async () => {
    const readme = readFileSync(join(example, "README.md"), "utf8");
    const [, project = ""] = /^```json\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    expect(await compileProject(project)).toBe("");
  });

  test("with @cloudflare/workers-types", async () => {
    expect(await compile(["@cloudflare/workers-types"])).toBe("");
  });
});

test("the example's own test runs there, with the package's test kit [OR-196, OR-210]", async () => {
  for (const file of ["oracle.test.ts", "vitest.config.ts"]) cpSync(join(example, file), join(folder, file));
  const vitest = join(repository, "node_modules/vitest/vitest.mjs");
  await run(process.execPath, [vitest, "run", "--reporter=json", "--outputFile=results.json"], {
    cwd: folder,
    env: wranglerEnvironment(),
  });
  const results: unknown = JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
  expect(results).toMatchObject({ success: true, numPassedTests: 2, numFailedTests: 0 });
});

describe("wrangler dev in the folder", () => {
  let server: ChildProcess;
  let base: string;
  let log = "";

  beforeAll(async () => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    const words = ["dev", `--port=${port}`, "--inspector-port=0", "--show-interactive-dev-session=false"];
    server = spawn(process.execPath, ["--no-warnings", wranglerProgram, ...words], {
      cwd: folder,
      env: wranglerEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [server.stdout, server.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        log += text;
      });
    await until(async () => (await statusOf("/health")) === 200);
  });

  afterAll(async () => {
    if (server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  });

  async function statusOf(path: string): Promise<number | undefined> {
    return fetch(base + path).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      if (server.exitCode !== null) throw new Error(`wrangler ended:\n${log}`);
      await delay(100);
    }
  }

  async function twinedge(...words: readonly string[]) {
    const command = join(folder, "node_modules/twinedge/dist/package/command.js");
    const env = { ...process.env, TWINEDGE_HOME: join(folder, "home") };
    return run(process.execPath, [command, ...words, "--url", base], { env });
  }

  test("the oracle answers a turn with its tool, in the package's own terminal client [OR-209, OR-210]", async () => {
    const { stdout, stderr } = await twinedge("chat", '/tool get_weather {"city":"Nairobi"}');
    expect(stdout).toBe('Tool get_weather returned: {"city":"Nairobi","celsius":15}\n');
    expect(stderr).toContain("get_weather");
    const tokens = JSON.parse((await twinedge("token", "--json")).stdout);
    const authorization = { Authorization: `Bearer ${tokens.invocation.token}`, "X-Auth-Type": "ucan" };
    expect((await fetch(`${base}/sessions`, { headers: authorization })).status).toBe(200);
  });

  test("its tool shows a card over the session's socket [OR-210]", async () => {
    const user = await createSocketUser(base, 1);
    const sessionId = await user.openSession();
    const tab = user.connect(sessionId);
    await tab.event("connected");
    await user.send(sessionId, { message: '/tool get_weather {"city":"Kisumu"}' });
    expect(await tab.event("render_component")).toMatchObject({
      componentName: "WeatherCard",
      args: { city: "Kisumu", celsius: 14 },
    });
    tab.socket.close();
  });

  test("its public route answers without a token, and every other path in the oracle's format [OR-197, OR-201]", async () => {
    expect(await (await fetch(`${base}/weather/Nairobi`)).json()).toEqual({ city: "Nairobi", celsius: 15 });
    const unknown = await fetch(`${base}/nothing`);
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { message: "Cannot GET /nothing" }]);
    expect(await statusOf("/sessions")).toBe(401);
  });

  test("when it is off, the plugin has neither route nor tool [OR-128, OR-201]", async () => {
    const source = join(folder, "oracle.ts");
    const text = readFileSync(source, "utf8");
    writeFileSync(source, text.replace("plugins: [weather]", "plugins: [weather], features: { weather: false }"));
    await until(async () => (await statusOf("/weather/Nairobi")) === 404);
    const { stdout } = await twinedge("chat", '/tool get_weather {"city":"Nairobi"}');
    expect(stdout).not.toContain("celsius");
    const health = await (await fetch(`${base}/health`)).json();
    expect(health).toMatchObject({
      plugins: { excluded: expect.arrayContaining([{ plugin: "weather", reason: "disabled" }]) },
    });
  });
});
