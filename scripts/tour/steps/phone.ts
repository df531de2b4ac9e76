/**
 * The phone's oracle works with every plugin loaded: a question by USSD is answered, and tools that need a tab report that briefly.
 */
import type { Tour, TourStep } from "../step.ts";
import { expectThat } from "../expect-that.ts";

/** Characters of a one-sentence answer that a phone shows. */
const SENTENCE_LENGTH = 120;
const PHONE = "+260971234567";
const PIN = "43219";

export const askByPhone: TourStep = {
  title: "A customer asks by phone, with every plugin loaded",
  async run({ url }) {
    const register = phoneCall(url);
    for (const input of ["", "2", "2", "Ada Banda", "00", PIN]) await register(input);
    const made = await register(PIN);
    const customer = /Customer ID: (\S+)/.exec(made)?.[1] ?? "";
    expectThat(customer !== "", "a customer id", made);
    const call = phoneCall(url);
    for (const input of ["", "2", "1", customer, PIN, "1", "3"]) await call(input);
    await call("3");
    const answer = await call("Remember that I planted maize");
    expectThat(answer.includes("I will remember that you planted maize"), "an answer from the memory", answer);
    await call("1");
    const recalled = await call("What do you remember about maize?");
    expectThat(recalled.includes("planted maize"), "the fact that was remembered", recalled);
    await call("1");
    const refused = await call("/tool calendar__sign_in {}");
    const sentence = /returned: ([^]*?)\n\d/.exec(refused)?.[1] ?? "";
    expectThat(
      sentence.includes("sign in with a browser") && sentence.length <= SENTENCE_LENGTH,
      `a sentence of at most ${SENTENCE_LENGTH} characters for what needs a browser`,
      refused,
    );
    return [
      `a tool that needs a browser: ${sentence}`,
      `registered as ${customer}`,
      `answered: ${firstLine(answer)}`,
      `recalled: ${firstLine(recalled)}`,
    ];
  },
};

function firstLine(screen: string): string {
  return (screen.split("\n")[0] ?? "").replace(/^CON /, "").slice(0, SENTENCE_LENGTH);
}

/** One call: sends all inputs so far, as gateways do. */
function phoneCall(url: Tour["url"]): (input: string) => Promise<string> {
  const sessionId = crypto.randomUUID();
  const inputs: string[] = [];
  return async (input) => {
    if (input !== "") inputs.push(input);
    const response = await fetch(`${url}/api/ussd`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sessionId, serviceCode: "*2233#", phoneNumber: PHONE, text: inputs.join("*") }),
    });
    const screen = await response.text();
    expectThat(response.ok && screen.startsWith("CON "), "a screen of the phone", `${response.status} ${screen}`);
    return screen;
  };
}
