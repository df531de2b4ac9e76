/** The exact English screens, and the position of a message above them. */
import { expect, test } from "vitest";
import { screenOf } from "../../../test/support/ussd/menu-screens.ts";
import type { ScreenLimit } from "../texts/characters.ts";
import { dictionaryOf, type Language, type Message } from "../texts/dictionary.ts";
import { choicesOf, render } from "./render.ts";
import type { Screen } from "./screen.ts";

const dictionary = dictionaryOf("en");
const limit: ScreenLimit = { septets: 160, countPrefix: true };
const customerId = "C1234ABCD9";
const loggedOut = { login: null, draft: null };
const draft = { kind: "creation" };
const welcome = screenOf("ussdMachine.preMenu", loggedOut);
const W = "Welcome to Digital Services\n1. Know More\n2. Account Menu\n*. Exit";

function body(screen: Screen, message?: Message, page = 1): string {
  return render(screen, { dictionary, limit, page, ...(message === undefined ? {} : { message }) }).body;
}

test.each<[string, Screen, string]>([
  ["W", welcome, W],
  [
    "W, logged in, with a draft",
    screenOf("ussdMachine.preMenu", { login: { customerId }, draft }),
    "Welcome to Digital Services\n1. Know More\n2. Account Menu\n3. Services\n9. Continue where you left off\n*. Exit",
  ],
  [
    "I",
    screenOf("knowMoreService.infoMenu"),
    "Welcome to Digital Services Information Center\n1. Interested in Product\n2. Pricing & accessories\n3. Can we deliver to you?\n0. Back\n*. Exit",
  ],
  [
    "A",
    screenOf("accountMenu.accountMenu"),
    "Account Menu\n\nDo you have an existing account?\n1. Yes, log me in\n2. No, create my account\n0. Back\n*. Exit",
  ],
  ["L", screenOf("login.customerIdEntry"), "Enter your Customer ID to log in:\n0. Back"],
  ["Q", screenOf("login.pinEntry"), "Enter your PIN:\n0. Back"],
  [
    "OK",
    screenOf("login.loginSuccess", { granted: { customer: { name: "John Doe" } }, customerId }),
    "Welcome, John Doe!\nLogin successful for Customer ID: C1234ABCD9.\n1. Continue\n0. Back\n*. Exit",
  ],
  ["N", screenOf("accountCreation.nameEntry"), "Welcome to Digital Services\nEnter your full name:\n0. Back"],
  ["E", screenOf("accountCreation.emailEntry"), "Enter your email address (optional):\n00. Skip\n0. Back"],
  ["G", screenOf("accountCreation.creatingAccount"), "Creating your account...\n1. View your Customer ID\n*. Exit"],
  [
    "K",
    screenOf("accountCreation.accountCreationSuccess", { customerId }),
    "Account created successfully!\nYour Customer ID: C1234ABCD9\nSave your Customer ID to access services.\n1. Back to Account Menu\n*. Exit",
  ],
  [
    "SV",
    screenOf("ussdMachine.userMainMenu"),
    "Services\n1. My records\n2. Check a record's status\n3. Ask a question\n4. Change PIN\n5. Language\n0. Back\n*. Exit",
  ],
  [
    "LG",
    screenOf("language.choose"),
    "Choose your language:\n1. English\n2. Kiswahili\n3. Francais\n4. Portugues\n0. Back\n*. Exit",
  ],
  ["WAIT", screenOf("login.verifying"), "Please wait, this is taking longer.\n1. Check again\n0. Back\n*. Exit"],
  [
    "DR",
    screenOf("domainStatus.result", {
      matches: [{ id: "did:x:y", name: "Farm 7", type: "asset", verification: "UnderVote" }],
    }),
    "Farm 7\nType: asset\nStatus: proposal under vote\nValid until: -\n1. Check another\n0. Back\n*. Exit",
  ],
  [
    "MD",
    screenOf("myDomains.list", {
      domains: [
        { id: "did:ixo:entity:0123456789abcdef", type: "asset", verification: "Verified" },
        { id: "did:x:2", name: "Farm\n0. Back", type: "asset", verification: "Revoked" },
      ],
    }),
    "My records\n1. ..456789abcdef: verified\n2. Farm 0. Back: revoked\n0. Back\n*. Exit",
  ],
])("the English screen %s [PH-37]", (_, screen, text) => {
  expect(body(screen)).toBe(text);
});

test.each<[Language, string]>([
  [
    "sw",
    "Huduma\n1. Rekodi zangu\n2. Angalia hali ya rekodi\n3. Uliza swali\n4. Badilisha PIN\n5. Lugha\n0. Rudi\n*. Toka",
  ],
  [
    "fr",
    "Services\n1. Mes fiches\n2. Vérifier une fiche\n3. Poser une question\n4. Changer le code PIN\n5. Langue\n0. Retour\n*. Quitter",
  ],
  [
    "pt",
    "Servicos\n1. Os meus registos\n2. Consultar um registo\n3. Perguntar ao assistente\n4. Mudar o PIN\n5. Lingua\n0. Voltar\n*. Sair",
  ],
])("the services menu in %s, with Back and Exit [PH-37, PH-65]", (language, text) => {
  const own = dictionaryOf(language);
  expect(render(screenOf("ussdMachine.userMainMenu", {}, own), { dictionary: own, limit }).body).toBe(text);
});

test("a reply is prefix, space, body [PH-3]", () => {
  expect(render(welcome, { dictionary, limit })).toMatchObject({ kind: "CON", body: W });
  const goodbye = render(screenOf("ussdMachine.closeSession"), { dictionary, limit });
  expect(goodbye).toMatchObject({ kind: "END", body: "Thank you for using Digital Services. Goodbye!" });
});

test("shows a message above its screen, and names the keys of the screen [PH-36, PH-39]", () => {
  const invalid: Message = { key: "invalidSelection" };
  expect(body(welcome, invalid)).toBe(`Invalid selection. Please choose 1 or 2.\n\n${W}`);
  const resumable = screenOf("ussdMachine.preMenu", { login: null, draft });
  expect(body(resumable, invalid)).toContain("Please choose 1, 2 or 9.\n\n");
  expect(body(screenOf("ussdMachine.userMainMenu"), invalid)).toContain(
    "Invalid selection. Please choose 1-5.\n\nServices",
  );
  expect(body(screenOf("accountCreation.emailEntry"), { key: "emailFormat" })).toBe(
    `That email is not valid.\n\n${body(screenOf("accountCreation.emailEntry"))}`,
  );
  expect(body(screenOf("login.pinEntry"), { key: "wrongLogin", values: { used: 1, limit: 3, left: 2 } })).toBe(
    "Incorrect Customer ID or PIN. 1 of 3 attempts used, 2 left.\n\nEnter your PIN:\n0. Back",
  );
});

test("the account menu is compact below the message of a lock [PH-72]", () => {
  expect(body(screenOf("accountMenu.accountMenu"), { key: "locked", values: { minutes: 15 } })).toBe(
    "Too many incorrect attempts. Locked for 15 minutes. Contact support for help.\n\n" +
      "Account Menu\n1. Log in\n2. Create account\n0. Back\n*. Exit",
  );
});

test("a message is short if the long one does not fit, and replaces the exit line if needed [PH-37, PH-72]", () => {
  const invalid = body(screenOf("knowMoreService.infoMenu", {}, dictionary, { app: "W".repeat(20), answerPages: 4 }), {
    key: "invalidSelection",
  });
  expect(invalid).toBe(
    "Invalid choice.\nWelcome to WWWWWWWWWWWWWWWWWWWW Information Center\n1. Interested in Product\n" +
      "2. Pricing & accessories\n3. Can we deliver to you?\n0. Back",
  );
});

test("pages: more while there is more, back on each, the blocks after the text on the last [PH-35, PH-71]", () => {
  const screen = screenOf("knowMoreService.infoPage", { topic: "pricing", sms: false });
  const pages = [1, 2].map((page) => render(screen, { dictionary, limit, page }));
  expect(pages.map(({ page, pages }) => [page, pages])).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(pages.map(({ keys }) => keys)).toEqual([
    ["98", "0", "*"],
    ["1", "0", "*"],
  ]);
  expect(pages[1]?.body.endsWith("1. Back to Main Menu\n0. Back\n*. Exit")).toBe(true);
  expect(render(screen, { dictionary, limit, page: 9 }).page).toBe(2);
});

test("an answer ends after the maximum number of pages, and an empty one still has its keys [PH-48]", () => {
  const long = screenOf("askOracle.answer", { answer: "maize beans ".repeat(100) });
  const last = render(long, { dictionary, limit, page: 4 });
  expect(last.pages).toBe(4);
  expect(last.body).toMatch(/ \(cut\)\n1\. Ask again\n0\. Back/);
  expect(body(screenOf("askOracle.answer", { answer: "" }))).toContain("1. Ask again\n0. Back");
});

test("a name in a non-GSM script does not push the login off its page [PH-70]", () => {
  const screen = screenOf("login.loginSuccess", {
    granted: { customer: { name: "Абдурахманов Гасангусейн" } },
    customerId,
  });
  const reply = render(screen, { dictionary, limit });
  expect(reply).toMatchObject({ pages: 1, overflow: false });
  expect(reply.body).toBe("Login successful for Customer ID: C1234ABCD9.\n1. Continue\n0. Back\n*. Exit");
});

test("a fixed screen that takes two pages is counted as an overflow", () => {
  const domain = {
    id: "did:x:y",
    name: "农民合作社",
    type: "protocol",
    verification: "AwaitingVerification",
    validUntil: "2026-12-31",
  };
  const screen = screenOf("domainStatus.result", { matches: [domain] });
  const pages = [1, 2].map((page) => render(screen, { dictionary, limit, page }));
  expect(pages.every(({ overflow }) => overflow)).toBe(true);
  expect(pages.map(({ body }) => body).join("\n")).toContain("1. Check another");
});

test("names the choices in printed order", () => {
  const choices = [[], ["1"], ["1", "2"], ["1", "2", "3"], ["1", "2", "9"], ["1", "2", "3", "9"]];
  expect(choices.map((keys) => choicesOf(keys, dictionary))).toEqual([
    "1",
    "1",
    "1 or 2",
    "1-3",
    "1, 2 or 9",
    "1, 2, 3 or 9",
  ]);
});

test("a screen without options offers the way back, and its message names it [PH-37]", () => {
  const screen = screenOf("myDomains.did", { picked: { id: "did:ixo:entity:abc123" } });
  expect(body(screen, { key: "invalidSelection" })).toBe(
    "Invalid selection. Please choose 0.\n\ndid:ixo:entity:abc123\n0. Back",
  );
});

test("an answer without spaces fills its last page, and one emoji makes no page shorter [PH-48, PH-70]", () => {
  const pageOf = (answer: string, page: number) => body(screenOf("askOracle.answer", { answer }), undefined, page);
  const long = "x".repeat(2_000);
  expect(pageOf(long, 4)).toMatch(/^x{90,} \(cut\)\n1\. Ask again\n0\. Back/);
  const words = "a word or two ".repeat(30);
  expect(pageOf(`${words}👍🏽`, 1)).toBe(pageOf(words, 1));
  expect(pageOf(`👍 ${words}`, 1)).toBe(pageOf(words, 1));
});
