/**
 * A server asks the user in the middle of a call: in both protocol eras the question reaches the page, and its answer
 * the server.
 */
import { expect, test } from "vitest";
import { mcp } from "../../oracle/plugins/mcp/plugin.ts";
import { MAX_QUESTIONS } from "../../oracle/plugins/mcp/tool-call.ts";
import { testOracle } from "../../workers/oracle/testing/index.ts";
import { noticesOf } from "../support/plugins/mcp-oracle.ts";
import { startControlledPeer } from "../support/plugins/mcp-peer-control.ts";

test.each(["new", "old"] as const)(
  "a form from a server of the %s era is answered in the page [OR-311]",
  async (era) => {
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
  },
);

test.each(["new", "old"] as const)("ten questions of one call are asked, in the %s era [OR-420]", async (era) => {
  const peer = await startControlledPeer({ era, name: "tables" });
  let asked = 0;
  const oracle = await testOracle({
    plugins: [mcp],
    env: { ENVIRONMENT: "development", MCP_SERVERS: JSON.stringify([peer.entry]) },
    actions: {
      mcp_elicitation() {
        asked += 1;
        return { action: "accept", content: { answer: "yes" } };
      },
    },
  });
  const turn = await oracle.say("/tool tables__interview {}");
  expect(asked).toBe(MAX_QUESTIONS);
  expect(turn.text).toContain("10 of 12 answered");
  expect(noticesOf(turn)).toEqual(["tables asked more than 10 questions in one call, so the others were declined."]);
});
