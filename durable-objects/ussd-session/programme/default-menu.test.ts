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
import { enterInput, resumeProgramme, startProgramme } from "./interpreter.ts";
import { currentScreen, replyOf } from "./reply.ts";
import type { ProgrammeState, Step } from "./step.ts";

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

  test.each(screens)(
    "%s is the screen of %s, on every page and under every message [PH-162]",
    (name, state, context, facts) => {
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
    },
  );
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

/** A part is code: it has returned as soon as the recorded reply is the one that follows it. */
function afterPart(
  part: Step,
  facts: Facts,
  expected: string,
): { readonly step: Step; readonly facts: Facts } | undefined {
  const known = part.kind === "go" && part.part === "login" ? factsOf({ ...facts, person }) : facts;
  for (const [is, seen] of [
    ["done", known],
    ["back", facts],
    ["failed", facts],
  ] as const) {
    const step = resumeProgramme(programme, part.state, { kind: "go", is }, seen);
    if (step.kind === "show" && textOf(step, seen) === expected) return { step, facts: seen };
  }
  return undefined;
}

function textOf({ state }: Step, facts: Facts): string {
  const { kind, body } = replyOf(programme, state, facts, limit);
  return `${kind} ${body}`;
}

test("each recorded call gets the same replies outside of the parts that are code [PH-162]", () => {
  const compared = new Map<string, number>();
  for (const flow of files.flatMap((file) =>
    file.flows.map((flow) => ({ steps: stepsOf(file, flow), name: flow.name })),
  )) {
    let facts = factsOf();
    let step: Step | undefined;
    for (const { kind, typed, expect: expected } of flow.steps) {
      if (kind === "dial") {
        // A dial with inputs, and one that offers a draft or knows a new account, begins elsewhere.
        if (typed !== "" || !expected.startsWith("CON Welcome to Digital Services\n1. ") || expected.includes("\n9. "))
          break;
        facts = factsOf();
        step = startProgramme(programme, "en", facts);
      } else if (step === undefined) break;
      else if (step.kind === "go") {
        const returned: { readonly step: Step; readonly facts: Facts } | undefined = afterPart(step, facts, expected);
        if (returned === undefined) continue;
        ({ step, facts } = returned);
      } else step = enterInput(programme, step.state, typed, facts, limit);
      if (step.kind === "login") step = resumeProgramme(programme, step.state, { kind: "login", is: "valid" }, facts);
      if (step.kind === "go") continue;
      expect(textOf(step, facts), `${flow.name}: ${typed}`).toBe(expected);
      compared.set(step.state.screen, (compared.get(step.state.screen) ?? 0) + 1);
      if (step.kind === "end") step = undefined;
    }
  }
  expect([...compared.keys()].toSorted()).toEqual(
    expect.arrayContaining([
      "account",
      "delivery",
      "goodbye",
      "information",
      "pricing",
      "product",
      "services",
      "welcome",
    ]),
  );
  expect([...compared.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(60);
});
