/**
 * Plugin mcp: a server that requires its user to sign in. The link appears in the chat; this step does what a browser would do with
 * it.
 */
import type { TourStep } from "../step.ts";
import { expectThat } from "../expect-that.ts";

export const signInToServer: TourStep = {
  title: "The user calls a tool of an MCP server that needs sign-in",
  async run({ url, peers, user, sessionId }) {
    const calendar = peers["mcp-sign-in"];
    const page = await user.openPage(sessionId);
    const { text } = await user.say(sessionId, "/tool calendar__sign_in {}");
    expectThat(text.includes("has to sign in to calendar first"), "an answer that asks to sign in", text);
    const asked = await page.event("mcp_auth_required");
    page.close();
    expectThat(asked["server"] === "calendar", "the event mcp_auth_required for calendar", asked);
    const link = new URL(String(asked["url"]), url).href;
    const lastPage = await calendar.signIn(link, "ada");
    expectThat(lastPage.includes("You are signed in to calendar"), "the page that confirms the sign-in", lastPage);
    const { toolCalls } = await user.say(sessionId, '/tool calendar__read_note {"id":"7"}');
    const [call] = toolCalls;
    expectThat(call?.status === "done" && call.output.includes("note 7"), "the tool's result", toolCalls);
    expectThat(
      calendar.callers.every((person) => person === "ada"),
      "calls as ada alone",
      calendar.callers,
    );
    return ["the chat showed a link, a browser followed it", `calendar__read_note as ada: ${call.output}`];
  },
};
