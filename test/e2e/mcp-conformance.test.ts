/**
 * The official conformance suite of MCP clients against the plugin's connection. docs/plugins/mcp.md lists the omitted scenarios.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const suite = resolve(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

test.each(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"])(
  "the scenario %s passes [OR-281]",
  async (scenario) => {
    const command = `${process.execPath} test/support/plugins/mcp-conformance-client.ts`;
    const child = spawn(process.execPath, [suite, "client", "--command", command, "--scenario", scenario], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    // Not "exit": its last output may be read after that.
    const [code] = (await once(child, "close")) as [number | null];
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Passed: (\d+)\/\1, 0 failed, 0 warnings/),
    });
  },
);
