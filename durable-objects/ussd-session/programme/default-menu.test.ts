/** The menus that ship as a file have the same screens as the menus in code, and the recorded calls get the same replies. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readFlowFile, stepsOf } from "../../../shared/flow-file.ts";
import { screenOf } from "../../../test/support/ussd/menu-screens.ts";
import { defaultMenu, factsOf, faultsOf, programmeFrom } from "../../../test/support/ussd/programme/menu-files.ts";
import { render } from "../screen/render.ts";
import { dictionaryOf, LANGUAGES, type Message } from "../texts/dictionary.ts";
import type { MessageKey } from "../texts/translation.ts";
import type { Facts } from "./file-screen.ts";
import { currentScreen, enterInput, replyOf, startProgramme, type ProgrammeState } from "./interpreter.ts";

const limit = { septets: 160, countPrefix: true };
const programme = programmeFrom(defaultMenu);
const settings = { app: "Digital Services", answerPages: 4 };
const login = { customerId: "C12345678", epoch: 1 };
const person = { name: "Ada", customerId: "C12345678" };

const screens: readonly (readonly [name: string, state: string, context: object, facts: Partial<Facts>])[] = [
  ["welcome", "ussdMachine.preMenu", { login: null, draft: null }, {}],
  ["welcome", "ussdMachine.preMenu", { login, draft: null }, { person }],
  ["welcome", "ussdMachine.preMenu", { login: null, draft: { kind: "creation" } }, { draft: "account" }],
  ["welcome", "ussdMachine.preMenu", { login, draft: { kind: "creation" } }, { person, draft: "account" }],
  ["information", "knowMoreService.infoMenu", {}, {}],
  ...["product", "pricing", "delivery"].flatMap((topic) =>
    [true, false].map((sms) => [topic, "knowMoreService.infoPage", { topic, sms }, { sms }] as const),
  ),
  ["account", "accountMenu.accountMenu", {}, {}],
  ["services", "ussdMachine.userMainMenu", { login }, { person }],
  ["goodbye", "ussdMachine.closeSession", {}, {}],
];

function stateAt(screen: string, language: string): ProgrammeState {
  return { ...startProgramme(programme, language, factsOf()).state, screen };
}

describe.each(LANGUAGES)("%s", (language) => {
  const dictionary = dictionaryOf(language);
  const messages = Object.keys(dictionary.messages).map((key): Message => ({ key: key as MessageKey }));

  test.each(screens)("%s is the screen of %s, on every page and under every message [PH-162]", (name, state, context, facts) => {
    const ofCode = screenOf(state, context, dictionary, settings);
    const here = stateAt(name, language);
    expect(currentScreen(programme, here, factsOf(facts))).toEqual(ofCode);
    const { pages } = render(ofCode, { dictionary, limit });
    for (let page = 1; page <= pages; page += 1) {
      for (const message of [undefined, ...messages]) {
        const view = { dictionary, limit, page, ...(message === undefined ? {} : { message }) };
        expect(replyOf(programme, { ...here, page, message }, factsOf(facts), limit)).toEqual(render(ofCode, view));
      }
    }
  });
});

test("the file has no fault [PH-162]", () => {
  expect(faultsOf(defaultMenu)).toEqual([]);
});

const files = ["menus", "accounts", "services"].map((name) => {
  const path = join(import.meta.dirname, `../../../test/flows/${name}.yaml`);
  const file = readFlowFile(parse(readFileSync(path, "utf8"), { schema: "failsafe" }));
  if (typeof file === "string") throw new Error(file);
  return file;
});

test("each recorded call gets the same replies up to its first part that is code [PH-162]", () => {
  let compared = 0;
  for (const file of files) {
    for (const flow of file.flows) {
      let state: ProgrammeState | undefined;
      for (const { kind, typed, expect: expected } of stepsOf(file, flow)) {
        if (kind === "dial" && typed !== "") break;
        const step =
          kind === "dial" || state === undefined
            ? startProgramme(programme, "en", factsOf())
            : enterInput(programme, state, typed, factsOf(), limit);
        if (step.kind !== "show" && step.kind !== "end") break;
        // A dial that offers a draft, or a caller who is already known.
        if (kind === "dial" && /^9\. |^3\. /m.test(expected)) break;
        const { kind: prefix, body } = replyOf(programme, step.state, factsOf(), limit);
        expect(`${prefix} ${body}`, `${flow.name}: ${typed}`).toBe(expected);
        compared += 1;
        if (step.kind === "end") break;
        ({ state } = step);
      }
    }
  }
  expect(compared).toBeGreaterThan(60);
});
