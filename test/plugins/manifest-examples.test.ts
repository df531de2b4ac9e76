/** The examples in the manifests of the bundled plugins: each names an offered tool, and valid arguments for it. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { bundledPlugins } from "../../workers/oracle/app.ts";
import { testOracle } from "../../workers/oracle/testing/index.ts";
import { createRegistryFixture } from "../support/registry/fixture.ts";

/** Their tools come from a request or from other servers, so there is no name for an example. */
const withToolsOfOthers = ["portal", "agui", "mcp"];
const attachment = { mxcUri: "mxc://media.example/unknown", filename: "report.pdf", mimetype: "application/pdf" };

test("every plugin that offers its own tools has an example", () => {
  const without = bundledPlugins.filter(
    ({ name, manifest }) =>
      manifest.visibility !== "silent" && !withToolsOfOthers.includes(name) && (manifest.examples ?? []).length === 0,
  );
  expect(without.map(({ name }) => name)).toEqual([]);
});

const examples = bundledPlugins.flatMap(({ name, manifest }) =>
  (manifest.examples ?? []).map(({ tool, args = {} }) => [name, tool, JSON.stringify(args)] as const),
);

test.each(examples)("%s: %s accepts %s", async (name, tool, args) => {
  const registry = await createRegistryFixture(env.DATABASE, [1]);
  const oracle = await testOracle({
    plugins: bundledPlugins,
    env: {
      REGISTRY: { fetch: (request: Request) => registry.edge.send(request) },
      REGISTRY_READ_KEY: registry.proposer,
    },
  });
  // Tools for files are offered after a message with one. In other conversations no file makes a tool ask first.
  if (name === "attachments") await oracle.say("hello", { attachments: [attachment] });
  const { text, toolCalls } = await oracle.say(`/tool ${tool} ${args}`);
  expect(toolCalls, text).toMatchObject([{ name: tool, status: "done" }]);
});
