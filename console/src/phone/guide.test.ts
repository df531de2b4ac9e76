/** The guide knows the screens of the service in each of its languages, and says what to send at each. */
import { expect, test } from "vitest";
import { dictionaryOf, LANGUAGES } from "../../../durable-objects/ussd-session/texts/dictionary.ts";
import { phoneScreens } from "../texts/phone-screens.ts";
import { guideSteps, guideTo, nextHint } from "./guide.ts";

const DID = "did:ixo:entity:1680291083aad824c5f1b069bcdc988a";
const guide = guideTo(DID) ?? { did: "", number: "" };
const ID = "C1A2B3C4DX";

function hintAt(body: string, customerId?: string): string | undefined {
  return nextHint({ phase: "live", screen: { kind: "CON", body }, customerId }, guide)?.text;
}

test("the guide's screen texts equal the service's", () => {
  const said = Object.keys(phoneScreens).map((name) => [
    name,
    LANGUAGES.map((language) => {
      const text = dictionaryOf(language).texts[name as keyof typeof phoneScreens];
      return text.replace(/ ?\{.*/, "");
    }),
  ]);
  expect(Object.fromEntries(said)).toEqual(phoneScreens);
});

test.each(LANGUAGES)("from the first screen to the record in %s [CN-103]", (language) => {
  const { texts } = dictionaryOf(language);
  const back = `0. ${texts.back}\n*. ${texts.exit}`;
  const welcome = `1. ${texts.knowMore}\n2. ${texts.accountMenu}`;
  const way: readonly (readonly [string, RegExp, string?])[] = [
    [`Welcome\n${welcome}\n*. ${texts.exit}`, /^Send 2: /],
    [`${texts.accountQuestion}\n1. ${texts.yesLogIn}\n2. ${texts.noCreate}\n${back}`, /^Send 2: .* send 1\.$/],
    [`Welcome\n${texts.namePrompt}\n0. ${texts.back}`, /a name/],
    [`${texts.emailPrompt}\n00. ${texts.skip}\n0. ${texts.back}`, /^Send 00/],
    [`${texts.createPinPrompt}\n0. ${texts.back}`, /^Choose a five-digit PIN/],
    [`PIN?\n\n${texts.confirmPinPrompt}\n0. ${texts.back}`, /same PIN/],
    [`${texts.yourCustomerId.replace("{id}", ID)}\n1. ${texts.backToAccountMenu}`, /^C1A2B3C4DX is .* Send 1,/, ID],
    [`${texts.accountMenu}\n1. ${texts.logIn}\n2. ${texts.createAccount}\n${back}`, /^Send 1: /, ID],
    [`${texts.customerIdPrompt}\n0. ${texts.back}`, /: C1A2B3C4DX\.$/, ID],
    [`${texts.customerIdPrompt}\n0. ${texts.back}`, /nine more/],
    [`${texts.pinPrompt}\n0. ${texts.back}`, /^Send your PIN\.$/, ID],
    [`Welcome\n1. ${texts.continue}\n*. ${texts.exit}`, /^Send 1: /, ID],
    [`Welcome\n${welcome}\n3. ${texts.services}\n*. ${texts.exit}`, /^Send 3: /, ID],
    [`${texts.services}\n1. ${texts.myDomains}\n2. ${texts.checkDomain}\n${back}`, /^Send 2: /, ID],
    [`${texts.domainPrompt}\n0. ${texts.back}`, /: dc988a\.$/, ID],
    [`Stoves\n${texts.domainStatus.replace("{status}", "x")}\n1. ${texts.checkAnother}\n${back}`, /what callers see/],
  ];
  for (const [screen, hint, customerId] of way)
    expect([screen, hintAt(screen, customerId)]).toEqual([screen, expect.stringMatching(hint)]);
  expect(hintAt(`${texts.infoTitle}\n1. ${texts.infoProduct}\n${back}`)).toBeUndefined();
});

test("a record has the number that callers type, and only a DID has a way", () => {
  expect(guide.number).toBe("dc988a");
  expect(guideTo("did:web:host.example")?.number).toBe("did:web:host.example");
  expect([guideTo(""), guideTo("javascript:alert(1)"), guideTo("did:ixo:a b")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(guideSteps(guide).at(-1)).toEqual({ kind: "input", typed: "dc988a" });
});
