/**
 * Every screen, in every language, at its widest and under its longest reason, is one reply with all its options
 * (contract/ussd.md section 6). A text that is too long fails here, not on a phone.
 */
import { expect, test } from "vitest";
import { fill, type Dictionary, type Notice, type ReasonKey } from "../i18n/dictionary.ts";
import { dictionaryOf, LANGUAGES } from "../i18n/languages.ts";
import { fits, type ScreenLimit } from "../characters/septets.ts";
import {
  accountCreatedScreen,
  confirmAccountPinScreen,
  creatingAccountScreen,
  emailScreen,
  nameScreen,
  newAccountPinScreen,
} from "./account-creation.ts";
import { accountMenuScreen } from "./account-menu.ts";
import {
  domainDidScreen,
  domainQueryScreen,
  domainStatusScreen,
  myDomainScreen,
  myDomainsScreen,
  pickDomainScreen,
  type DomainView,
} from "./domains.ts";
import { INFO_TOPICS, infoMenuScreen, infoPageScreen } from "./know-more.ts";
import { customerIdScreen, loginPinScreen, loginSuccessScreen } from "./login.ts";
import { answerScreen, oracleWorkingScreen, questionScreen } from "./oracle.ts";
import { render, type Reply } from "./render.ts";
import type { Screen } from "./screen.ts";
import { discardFormScreen, servicesScreen, waitScreen } from "./services.ts";
import { confirmNewPinScreen, currentPinScreen, languageScreen, newPinScreen } from "./settings.ts";
import { goodbyeScreen, welcomeScreen } from "./welcome.ts";

const limit: ScreenLimit = { septets: 160, countPrefix: true };
/** The widest that each placeholder may be: APP_NAME 20, customer id 20, a DID 80 characters. */
const app = "W".repeat(20);
const customerId = `C${"9".repeat(19)}`;
const name = "W".repeat(100);
const id = `did:ixo:entity:${"0".repeat(65)}`;

function domains(count: number, verification: string): readonly DomainView[] {
  const one = { id, name, type: "T".repeat(60), verification, validUntil: "2026-12-31T00:00:00Z" };
  return Array.from({ length: count }, () => one);
}

/** Screens whose text is ours: one page each. */
function fixedScreens(dictionary: Dictionary): readonly Screen[] {
  const welcomes = [false, true].flatMap((services) =>
    [false, true].map((draft) => welcomeScreen(dictionary, { app, services, draft })),
  );
  const described = Object.keys(dictionary.verification).flatMap((verification) =>
    domains(1, verification).flatMap((domain) => [
      myDomainScreen(dictionary, domain),
      domainStatusScreen(dictionary, domain),
    ]),
  );
  return [
    ...welcomes,
    ...described,
    infoMenuScreen(dictionary, { app }),
    accountMenuScreen(dictionary),
    customerIdScreen(dictionary),
    loginPinScreen(dictionary),
    loginSuccessScreen(dictionary, { name, customerId }),
    nameScreen(dictionary, { app }),
    emailScreen(dictionary),
    newAccountPinScreen(dictionary),
    confirmAccountPinScreen(dictionary),
    creatingAccountScreen(dictionary),
    accountCreatedScreen(dictionary, { customerId }),
    servicesScreen(dictionary),
    discardFormScreen(dictionary),
    waitScreen(dictionary),
    domainDidScreen(dictionary, { id }),
    domainQueryScreen(dictionary),
    questionScreen(dictionary),
    oracleWorkingScreen(dictionary),
    currentPinScreen(dictionary),
    newPinScreen(dictionary),
    confirmNewPinScreen(dictionary),
    languageScreen(dictionary),
  ];
}

/** Screens that run over pages by nature. */
function pagedScreens(dictionary: Dictionary): readonly Screen[] {
  return [
    ...INFO_TOPICS.flatMap((topic) => [true, false].map((sms) => infoPageScreen(dictionary, { app, topic, sms }))),
    myDomainsScreen(dictionary, domains(7, "AwaitingVerification")),
    pickDomainScreen(dictionary, domains(9, "UnderVote")),
    answerScreen(dictionary, { answer: "a word or two ".repeat(30), maxPages: 4 }),
    answerScreen(dictionary, { answer: "多少钱？".repeat(100), maxPages: 4 }),
    myDomainsScreen(
      dictionary,
      domains(7, "Verified").map((domain) => ({ ...domain, name: "农民合作社农民合作社农民合作社" })),
    ),
  ];
}

/** The widest values of every reason. */
const values = { used: 10, limit: 10, left: 10, minutes: 1440, room: 39 };

function notices({ reasons }: Dictionary): readonly Notice[] {
  return Object.keys(reasons).map((reason) => ({ reason: reason as ReasonKey, values }));
}

function optionKeys({ blocks }: Screen): readonly string[] {
  return blocks.flatMap((block) => (block.kind === "option" ? [block.key] : []));
}

/** The keys that a reader sees at the start of lines. */
function printedKeys(body: string): string {
  return Array.from(body.matchAll(/^(\d+|\*)\. /gm), ([, key]) => key).join(" ");
}

/** What is wrong with a reply, in sentences: a test expects none, and shows the screen when there is one. */
function faultsOf(screen: Screen, reply: Reply, dictionary: Dictionary, notice?: Notice): readonly string[] {
  const faults = [
    !fits(reply.body, limit) && "does not fit",
    reply.overflow && "overflows",
    printedKeys(reply.body) !== reply.keys.join(" ") && `prints other keys than ${reply.keys.join(" ")}`,
    /\{\w+\}/.test(reply.body) && "has an empty placeholder",
    reply.keys.includes("0") !== (screen.back || reply.page > 1) && "is wrong about 0",
    screen.exit === "always" && !reply.keys.includes("*") && "lacks *",
    reply.keys.includes("98") !== reply.page < reply.pages && "is wrong about 98",
    !stands(notice, reply, dictionary) && "lacks its reason",
  ];
  return faults.flatMap((fault) =>
    fault === false ? [] : [`${dictionary.language} ${screen.id} ${notice?.reason ?? ""} ${fault}\n${reply.body}`],
  );
}

/** Whether the reason stands on the first line: in its long form with an empty line beneath it, or in its short form. */
function stands(notice: Notice | undefined, { body }: Reply, { reasons }: Dictionary): boolean {
  if (notice === undefined) return !body.startsWith("\n");
  const [line = "", next] = body.split("\n");
  const { long, short } = reasons[notice.reason];
  const form = fill(next === "" ? long : short, values);
  const [start = "", end = ""] = form.split("{choices}");
  return line.startsWith(start) && line.endsWith(end);
}

function lacking(screen: Screen, keys: readonly string[]): readonly string[] {
  return optionKeys(screen).filter((key) => !keys.includes(key));
}

test.each(LANGUAGES)(
  "%s: every fixed screen is one page with its options, whatever reason stands above it",
  (language) => {
    const dictionary = dictionaryOf(language);
    const screens = fixedScreens(dictionary);
    const faults = screens.flatMap((screen) =>
      [undefined, ...notices(dictionary)].flatMap((notice) => {
        const reply = render(screen, { dictionary, limit, ...(notice === undefined ? {} : { notice }) });
        const lost = lacking(screen, reply.keys).map((key) => `${screen.id} lost ${key}\n${reply.body}`);
        return [...faultsOf(screen, reply, dictionary, notice), ...lost, ...(reply.pages === 1 ? [] : [screen.id])];
      }),
    );
    expect(faults).toEqual([]);
    expect(new Set(screens.map(({ id }) => id)).size).toBe(24);
  },
);

test.each(LANGUAGES)(
  "%s: every page of a long screen fits, under any reason, and the options are all there",
  (language) => {
    const dictionary = dictionaryOf(language);
    for (const screen of pagedScreens(dictionary)) {
      const { pages } = render(screen, { dictionary, limit });
      const keys: string[] = [];
      const faults: string[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const plain = render(screen, { dictionary, limit, page });
        keys.push(...plain.keys);
        faults.push(...faultsOf(screen, plain, dictionary));
        for (const notice of notices(dictionary)) {
          const refused = render(screen, { dictionary, limit, page, notice });
          faults.push(...faultsOf(screen, refused, dictionary, notice));
          if (withoutExit(refused) !== withoutExit(plain) || refused.pages !== pages) faults.push(refused.body);
        }
      }
      expect(faults).toEqual([]);
      expect(lacking(screen, keys)).toEqual([]);
    }
  },
);

function withoutExit({ keys }: Reply): string {
  return keys.filter((key) => key !== "*").join(" ");
}

test.each(LANGUAGES)(
  "%s: a page keeps its text under an invalid choice, as long as it is in the GSM alphabet",
  (language) => {
    const dictionary = dictionaryOf(language);
    const screen = infoPageScreen(dictionary, { app, topic: "product", sms: true });
    const { pages } = render(screen, { dictionary, limit });
    expect(pages).toBeGreaterThan(1);
    for (let page = 1; page <= pages; page += 1) {
      const [line = ""] = render(screen, { dictionary, limit, page }).body.split("\n");
      expect(render(screen, { dictionary, limit, page, notice: { reason: "invalidSelection" } }).body).toContain(line);
    }
  },
);

test.each(LANGUAGES)("%s: information takes two pages at most, since each is paid for", (language) => {
  const dictionary = dictionaryOf(language);
  const screens = INFO_TOPICS.map((topic) => infoPageScreen(dictionary, { app, topic, sms: true }));
  expect(screens.map((screen) => render(screen, { dictionary, limit }).pages)).toEqual([2, 2, 1]);
});

test.each(LANGUAGES)("%s: all option numbers are those of English", (language) => {
  const numbers = (dictionary: Dictionary): readonly string[] =>
    fixedScreens(dictionary).map((screen) => withoutExit(render(screen, { dictionary, limit })));
  expect(numbers(dictionaryOf(language))).toEqual(numbers(dictionaryOf("en")));
});

test.each(LANGUAGES)("%s: the last words fit, and are an END", (language) => {
  const dictionary = dictionaryOf(language);
  const screen = goodbyeScreen(dictionary, { app });
  const reply = render(screen, { dictionary, limit });
  expect(reply).toMatchObject({ kind: "END", keys: [], pages: 1 });
  expect(reply.body).toContain(app);
  expect(faultsOf(screen, reply, dictionary)).toEqual([]);
});

test.each([100, 120, 140, 182])("within %i septets nothing is lost either: what is too long is paged", (septets) => {
  const narrow = { septets, countPrefix: true };
  for (const language of LANGUAGES) {
    const dictionary = dictionaryOf(language);
    for (const screen of [...fixedScreens(dictionary), ...pagedScreens(dictionary)]) {
      const { pages } = render(screen, { dictionary, limit: narrow });
      const replies = Array.from({ length: pages }, (_, index) =>
        render(screen, { dictionary, limit: narrow, page: index + 1 }),
      );
      expect(replies.filter(({ body }) => !fits(body, narrow))).toEqual([]);
      expect(
        lacking(
          screen,
          replies.flatMap(({ keys }) => keys),
        ),
        screen.id,
      ).toEqual([]);
    }
  }
});
