/** Plugin domain-registry: a domain is created through the registry's API, and the oracle is asked why it is not verified. */
import type { TourStep } from "../step.ts";
import { expectThat } from "../expect-that.ts";

export const askWhyNotVerified: TourStep = {
  title: "The user asks why a domain is not verified",
  async run({ url, developmentKey, user, sessionId }) {
    const response = await fetch(`${url}/v1/domains`, {
      method: "POST",
      headers: { Authorization: `Bearer ${developmentKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        type: "Project",
        protocol: "did:ixo:protocol/clean-cooking",
        metadata: { name: "Tour stoves" },
      }),
    });
    const { id } = (await response.json()) as { readonly id: string };
    expectThat(response.status === 201, "201 for a new domain", response.status);
    const { text, toolCalls } = await user.say(sessionId, `Why is ${id} not verified?`);
    const [call] = toolCalls;
    expectThat(
      call?.name === "explain_verification" && call.status === "done",
      "a call of explain_verification",
      toolCalls,
    );
    const { summary, verified, missing } = JSON.parse(call.output) as Readonly<Record<string, unknown>>;
    expectThat(verified === false, "verified: false", call.output);
    expectThat(summary === '"Tour stoves" is not verified: it has not been proposed yet.', "the reason", summary);
    expectThat(text.includes("it has not been proposed yet"), "an answer with the reason", text);
    return [`${id} was registered`, `the oracle: ${summary}`, `missing: ${(missing as string[]).join(" ")}`];
  },
};
