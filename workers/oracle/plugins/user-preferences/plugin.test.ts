/** What the tool answers: its two forms of text, whatever it is given and whatever its store does. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import type { Preferences } from "./preferences.ts";
import { createPreferencesTool } from "./plugin.ts";

const call = { toolCallId: "call-1", abortSignal: new AbortController().signal };
const updatedAt = "2026-11-01T00:00:00.000Z";
const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);

function toolOver(save: (change: Preferences) => Promise<{ preferences: Preferences; updatedAt: string }>) {
  const lines: string[] = [];
  return { tool: createPreferencesTool({ save, log: createLogger({}, (_level, line) => lines.push(line)) }), lines };
}

describe("set_user_preferences [OR-125]", () => {
  it("answers with all preferences in the documented order", async () => {
    const { tool } = toolOver(async (change) => ({ preferences: { language: "de", ...change }, updatedAt }));
    expect(await tool.handler({ agentName: "Juno" }, call)).toBe(
      `Preferences saved: {"agentName":"Juno","language":"de","updatedAt":"${updatedAt}"}`,
    );
  });

  it("answers with an empty object once the last field is gone", async () => {
    const { tool } = toolOver(async () => ({ preferences: {}, updatedAt }));
    expect(await tool.handler({ agentName: "" }, call)).toBe("Preferences saved: {}");
  });

  it("saves nothing when the call gives nothing", async () => {
    const { tool } = toolOver(() => Promise.reject(new Error("must not be reached")));
    expect(await tool.handler({}, call)).toBe("[Preferences not saved: at least one field must be given]");
  });

  it("tells that the store failed, and the log why, without what was to be stored", async () => {
    const { tool, lines } = toolOver(() => Promise.reject(new Error("no such table")));
    expect(await tool.handler({ tone: "confidential" }, call)).toBe(
      "[Preferences not saved: the preferences cannot be stored at the moment]",
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("no such table");
    expect(lines[0]).not.toContain("confidential");
  });

  it("never throws, whatever the model sends", async () => {
    const { tool } = toolOver(async (preferences) => ({ preferences, updatedAt }));
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (input) => {
        expect(await tool.handler(input, call)).toMatch(/^(Preferences saved: \{|\[Preferences not saved: .+\]$)/s);
      }),
      { numRuns },
    );
  });

  it("tells the model when to call it and when not", () => {
    const { tool } = toolOver(async (preferences) => ({ preferences, updatedAt }));
    for (const rule of ["lasting change", "self-contained", "next message", "more specific", "facts about the user"]) {
      expect(tool.description).toContain(rule);
    }
  });
});
