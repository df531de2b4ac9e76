/**
 * Every screen of every menu, in every language, at its widest and under its longest message, fits into one reply with
 * all its options. A new state is covered automatically; `widest` lists the context that it shows.
 */
import { expect, test } from "vitest";
import { menuStates, screenOf } from "../../../test/support/ussd/menu-screens.ts";
import { render, SHORT_MESSAGE_SEPTETS, type Reply } from "../screen/render.ts";
import type { Screen } from "../screen/screen.ts";
import { fits, widthOf, type ScreenLimit } from "../texts/characters.ts";
import { dictionaryOf, fill, LANGUAGES, supportValue, type Dictionary, type Message } from "../texts/dictionary.ts";
import type { DomainView } from "./domain-view.ts";
import type { MessageKey } from "../texts/translation.ts";

const limit: ScreenLimit = { septets: 160, countPrefix: true };
/** The maximum width of each value: APP_NAME 20, a customer id 20, a DID 80 characters. */
const settings = { app: "W".repeat(20), answerPages: 4 };
const customerId = `C${"9".repeat(19)}`;
const name = "W".repeat(100);
const domain: DomainView = {
  id: `did:ixo:entity:${"0".repeat(65)}`,
  name,
  type: "T".repeat(60),
  verification: "AwaitingVerification",
  validUntil: "2026-12-31T00:00:00Z",
};

function domains(count: number, view: DomainView): readonly DomainView[] {
  return Array.from({ length: count }, () => view);
}

const verifications = Object.keys(dictionaryOf("en").verification).map((verification) => ({ ...domain, verification }));
const chinese = { ...domain, verification: "Verified", name: "农民合作社农民合作社农民合作社" };

/** The context that a state shows, at its widest; several entries if it shows different things. */
const widest: Readonly<Record<string, readonly object[]>> = {
  "ussdMachine.preMenu": [null, { customerId }].flatMap((login) =>
    [null, { kind: "creation" }].map((draft) => ({ login, draft })),
  ),
  "knowMoreService.infoPage": ["product", "pricing", "delivery"].flatMap((topic) =>
    [true, false].map((sms) => ({ topic, sms })),
  ),
  "login.customerIdEntry": [{ offersHelp: false }, { offersHelp: true }],
  "login.recovered": [{ customerId }],
  "login.loginSuccess": [{ customerId, granted: { customer: { name } } }],
  "accountCreation.accountCreationSuccess": [{ customerId }],
  "myDomains.list": [{ domains: domains(7, domain) }, { domains: domains(7, chinese) }],
  "myDomains.detail": verifications.map((picked) => ({ picked })),
  "myDomains.did": [{ picked: domain }],
  "domainStatus.pick": [{ matches: domains(9, { ...domain, verification: "UnderVote" }) }],
  "domainStatus.result": verifications.map((view) => ({ matches: [view] })),
  "askOracle.answer": [{ answer: "a word or two ".repeat(30) }, { answer: "多少钱？".repeat(100) }],
};

/** Screens that may have several pages: information, lists, answers. All other screens have one page. */
const PAGED: ReadonlySet<string> = new Set(["S", "MD", "DP", "OA"]);
const GOODBYE = "ussdMachine.closeSession";

function screensIn(dictionary: Dictionary): readonly Screen[] {
  const states = [...menuStates.keys()].filter((state) => state !== GOODBYE);
  return states.flatMap((state) =>
    (widest[state] ?? [{}]).map((context) => screenOf(state, context, dictionary, settings)),
  );
}

function fixedScreens(dictionary: Dictionary): readonly Screen[] {
  const byLook = new Map(screensIn(dictionary).map((screen) => [JSON.stringify(screen), screen]));
  return [...byLook.values()].filter(({ id }) => !PAGED.has(id));
}

function pagedScreens(dictionary: Dictionary): readonly Screen[] {
  return screensIn(dictionary).filter(({ id }) => PAGED.has(id));
}

function infoPages(dictionary: Dictionary): readonly Screen[] {
  const topics = ["product", "pricing", "delivery"];
  return topics.map((topic) => screenOf("knowMoreService.infoPage", { topic, sms: true }, dictionary, settings));
}

/** The widest values of every message, without and with the operator's number. */
const values = { used: 10, limit: 10, left: 10, minutes: 1440, room: 39, min: 1, max: 999_999_999 };

function messagesOf(dictionary: Dictionary): readonly Message[] {
  const named = { ...values, ...supportValue(dictionary, "+123456789012345") };
  return Object.keys(dictionary.messages).flatMap((key) =>
    [values, named].map((each) => ({ key: key as MessageKey, values: each })),
  );
}

function optionKeys({ blocks }: Screen): readonly string[] {
  return blocks.flatMap((block) => (block.kind === "option" ? [block.key] : []));
}

/** The keys printed at the start of lines. */
function printedKeys(body: string): string {
  return Array.from(body.matchAll(/^(\d+|\*)\. /gm), ([, key]) => key).join(" ");
}

/** The faults of a reply, as sentences: a test expects none, and prints the screen if there is one. */
function faultsOf(screen: Screen, reply: Reply, dictionary: Dictionary, message?: Message): readonly string[] {
  const faults = [
    !fits(reply.body, limit) && `${widthOf(`CON ${reply.body}`)} of ${limit.septets} septets`,
    reply.overflow && "overflows",
    printedKeys(reply.body) !== reply.keys.join(" ") && `prints other keys than ${reply.keys.join(" ")}`,
    /\{\w+\}/.test(reply.body) && "has an empty placeholder",
    reply.keys.includes("0") !== (screen.back || reply.page > 1) && "is wrong about 0",
    screen.exit === "always" && !reply.keys.includes("*") && "lacks *",
    reply.keys.includes("98") !== reply.page < reply.pages && "is wrong about 98",
    !stands(message, reply, dictionary) && "lacks its message",
  ];
  return faults.flatMap((fault) =>
    fault === false
      ? []
      : [`${screen.id}: ${fault} in ${dictionary.language}, message: ${message?.key ?? "none"}\n${reply.body}`],
  );
}

/**
 * For a screen that should be one page and is not. The room for a message counts; an exit that may be dropped does not.
 */
function lengthOf(screen: Screen, dictionary: Dictionary): string {
  const blocks = screen.compact ?? screen.blocks;
  const { compact: _, ...whole } = {
    ...screen,
    blocks,
    exit: screen.exit === "always" ? screen.exit : "never",
  } as const;
  const { body } = render(whole, { dictionary, limit: { ...limit, septets: 10_000 } });
  const septets = widthOf(`CON ${body}\n`) + SHORT_MESSAGE_SEPTETS;
  return `${screen.id}: ${septets} of ${limit.septets} septets in ${dictionary.language}, with room for a message\n${body}`;
}

/** Whether the message is on the first line: in its long form followed by an empty line, or in its short form. */
function stands(message: Message | undefined, { body }: Reply, { messages }: Dictionary): boolean {
  if (message === undefined) return !body.startsWith("\n");
  const [line = "", next] = body.split("\n");
  const { long, short } = messages[message.key];
  const form = fill(next === "" ? long : short, message.values);
  const [start = "", end = ""] = form.split("{choices}");
  return line.startsWith(start) && line.endsWith(end);
}

function lacking(screen: Screen, keys: readonly string[]): readonly string[] {
  return optionKeys(screen).filter((key) => !keys.includes(key));
}

test("covers the screens of all menus, and ids are unique", () => {
  const dictionary = dictionaryOf("en");
  const ids = new Map<string, Set<string>>();
  for (const state of menuStates.keys()) {
    const { id } = screenOf(state, widest[state]?.[0], dictionary, settings);
    ids.set(id, (ids.get(id) ?? new Set()).add(state));
  }
  const shared = [...ids].filter(([, states]) => states.size > 1).map(([id]) => id);
  // The wait screens, and one domain.
  expect(shared.toSorted()).toEqual(["DR", "OW", "WAIT"]);
  expect(new Set([...menuStates.keys()].map((state) => state.split(".")[0]))).toEqual(
    new Set([
      "ussdMachine",
      "knowMoreService",
      "accountMenu",
      "login",
      "accountCreation",
      "myDomains",
      "domainStatus",
      "askOracle",
      "changePin",
      "language",
    ]),
  );
});

test.each(LANGUAGES)(
  "%s: every fixed screen is one page with its options, whatever message is shown above it [PH-72]",
  (language) => {
    const dictionary = dictionaryOf(language);
    const screens = fixedScreens(dictionary);
    const faults = screens.flatMap((screen) => {
      if (render(screen, { dictionary, limit }).pages > 1) return [lengthOf(screen, dictionary)];
      return [undefined, ...messagesOf(dictionary)].flatMap((message) => {
        const reply = render(screen, { dictionary, limit, ...(message === undefined ? {} : { message }) });
        const lost = lacking(screen, reply.keys).map((key) => `${screen.id} lost ${key}\n${reply.body}`);
        return [...faultsOf(screen, reply, dictionary, message), ...lost];
      });
    });
    expect(faults).toEqual([]);
  },
);

test.each(LANGUAGES)(
  "%s: every page of a long screen fits, under any message, with all options [PH-71, PH-72]",
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
        for (const message of messagesOf(dictionary)) {
          const refused = render(screen, { dictionary, limit, page, message });
          faults.push(...faultsOf(screen, refused, dictionary, message));
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
  "%s: a page keeps its text under an invalid choice, if it is in the GSM alphabet [PH-72]",
  (language) => {
    const dictionary = dictionaryOf(language);
    const [screen] = infoPages(dictionary);
    if (screen === undefined) throw new Error("no screen");
    const { pages } = render(screen, { dictionary, limit });
    expect(pages).toBeGreaterThan(1);
    for (let page = 1; page <= pages; page += 1) {
      const [line = ""] = render(screen, { dictionary, limit, page }).body.split("\n");
      expect(render(screen, { dictionary, limit, page, message: { key: "invalidSelection" } }).body).toContain(line);
    }
  },
);

test.each(LANGUAGES)(
  "%s: without a message every menu of one page ends with Back and Exit [PH-37, PH-72]",
  (language) => {
    const dictionary = dictionaryOf(language);
    const menus = fixedScreens(dictionary).filter(({ exit }) => exit !== "never");
    expect(menus.map(({ id }) => id)).toEqual(expect.arrayContaining(["W", "I", "A", "SV", "LG"]));
    const { back, exit } = dictionary.texts;
    const faults = menus.flatMap((screen) => {
      const { body } = render(screen, { dictionary, limit });
      const end = [...(screen.back ? [`0. ${back}`] : []), `*. ${exit}`].join("\n");
      return body.endsWith(`\n${end}`) ? [] : [`${screen.id} does not end with ${end}\n${body}`];
    });
    expect(faults).toEqual([]);
  },
);

test.each(LANGUAGES)("%s: information takes two pages at most, because each costs money", (language) => {
  const dictionary = dictionaryOf(language);
  const screens = infoPages(dictionary);
  expect(screens.map((screen) => render(screen, { dictionary, limit }).pages)).toEqual([2, 2, 1]);
});

test.each(LANGUAGES)("%s: all option numbers equal those of English [PH-65]", (language) => {
  const numbers = (dictionary: Dictionary): readonly string[] =>
    fixedScreens(dictionary).map((screen) => withoutExit(render(screen, { dictionary, limit })));
  expect(numbers(dictionaryOf(language))).toEqual(numbers(dictionaryOf("en")));
});

test.each(LANGUAGES)("%s: the goodbye fits, and is an END [PH-73]", (language) => {
  const dictionary = dictionaryOf(language);
  const screen = screenOf(GOODBYE, {}, dictionary, settings);
  const reply = render(screen, { dictionary, limit });
  expect(reply).toMatchObject({ kind: "END", keys: [], pages: 1 });
  expect(reply.body).toContain(settings.app);
  expect(faultsOf(screen, reply, dictionary)).toEqual([]);
});

test.each([100, 120, 140, 182])(
  "within %i septets no text is lost either: a text that is too long is paged [PH-68, PH-71]",
  (septets) => {
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
  },
);
