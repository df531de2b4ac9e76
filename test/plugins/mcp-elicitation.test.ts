/** A server asks the user in the middle of a call: the question reaches the page in both eras, and its answer the server. */
import { expect, test } from "vitest";
import { mcp } from "../../workers/oracle/plugins/mcp/plugin.ts";
import { testOracle } from "../../workers/oracle/testing/index.ts";
import { startControlledPeer } from "../support/mcp-peer-control.ts";

test.each(["new", "old"] as const)("a form of a server of the %s era is answered in the page [OR-311]", async (era) => {
  const peer = await startControlledPeer({ era, name: "tables" });
  const asked: unknown[] = [];
  const oracle = await testOracle({
    plugins: [mcp],
    env: { ENVIRONMENT: "development", MCP_SERVERS: JSON.stringify([peer.entry]) },
    actions: {
      mcp_elicitation(args) {
        asked.push(args);
        return { action: "accept", content: { people: 4 } };
      },
    },
  });
  const { text } = await oracle.say("/tool tables__book {}");
  expect(text).toContain("booked for 4");
  expect(asked).toEqual([
    expect.objectContaining({ server: "tables", tool: "book", mode: "form", message: "How many people?" }),
  ]);
});
