import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { renderToString } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { createInspector, OraclesDevtools } from "./devtools.ts";

/** Bytes of the entry in an application's production build, gzipped. */
const MAX_PRODUCTION_BYTES = 512;

async function bundled(
  mode: "production" | "development",
  names = "createInspector, OraclesDevtools",
): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${names} } from "./index.ts";`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    external: ["react", "react/jsx-runtime"],
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

describe("in production [SD-200]", () => {
  test("nothing of the devtools is in the bundle", async () => {
    const [production, development] = [await bundled("production"), await bundled("development")];
    expect(gzipSync(production).length).toBeLessThan(MAX_PRODUCTION_BYTES);
    expect(production).not.toContain("Oracle devtools");
    expect(development).toContain("Oracle devtools");
  });

  test("the bundle draws nothing and keeps nothing", async () => {
    const url = `data:text/javascript,${encodeURIComponent(await bundled("production"))}`;
    const production = (await import(url)) as typeof import("./devtools.ts");
    const inspector = production.createInspector();
    expect([inspector.inspect, inspector.getSnapshot()]).toEqual([undefined, []]);
    expect(production.OraclesDevtools({ inspector })).toBeNull();
  });
});

test("a recorder keeps entries in production too, without tokens and without the panel [SD-274]", async () => {
  const script = await bundled("production", "createRecorder");
  expect(script).not.toContain("Oracle devtools");
  const { createRecorder } = (await import(
    `data:text/javascript,${encodeURIComponent(script)}`
  )) as typeof import("./index.ts");
  const recorder = createRecorder();
  const shown = new Promise<void>((resolve) => void recorder.subscribe(resolve));
  recorder.inspect({ at: 1, kind: "request", name: "GET /sessions", detail: { status: 200, invocation: "secret" } });
  await shown;
  expect(recorder.getSnapshot().map(({ name, detail }) => [name, detail.includes('"status": 200')])).toEqual([
    ["GET /sessions", true],
  ]);
  expect(JSON.stringify(recorder.getSnapshot())).not.toContain("secret");
});

describe("on a server", () => {
  test("the panel is a closed button, and an open one says what it shows [SD-203]", () => {
    const inspector = createInspector();
    const closed = renderToString(<OraclesDevtools inspector={inspector} />);
    expect(closed).toMatch(/^<button type="button"[^>]*aria-expanded="false">Oracle devtools<\/button>$/);
    const open = renderToString(<OraclesDevtools inspector={inspector} initiallyOpen />);
    expect(open).toContain('<section id="');
    expect(open).toContain('aria-label="Oracle devtools"');
    expect(open).toContain("Nothing yet.");
  });
});
