/**
 * Random walks over the menus (contract/ussd.md sections 5.1 and 12.4): whatever is typed, every reply begins CON or END
 * and fits, printed options work and others are refused, 0 and * do what they say, and no state is a trap.
 */
import { expect, test } from "vitest";
import { domainEnding } from "../../../test/support/slowed-domains.ts";
import { pastBudget } from "../../../test/support/ussd/caller.ts";
import { customerColumn, newCaller, newCustomer, valueOf } from "../../../test/support/ussd/accounts.ts";
import { createUssdGateway } from "../../../test/support/ussd/sessions.ts";
import { dictionaryOf, LANGUAGES } from "../texts/dictionary.ts";
import { fits } from "../texts/characters.ts";
import type { AccountsPort } from "../ports.ts";

/** Fewer miss a place now and then. */
const STEPS_TO_EVERY_PLACE = 20_000;
const STEPS = Math.max(STEPS_TO_EVERY_PLACE, 80 * Number(process.env.PROPERTY_RUNS ?? 300));
const SEED = Number(process.env.WALK_SEED ?? 20_261_121);
const limit = { septets: 160, countPrefix: true };
/** Presses of 0 that lead from anywhere to the first screen: the deepest part, its pages included. */
const DEEPEST = 16;

/** Where 0 leads from the first page of each place; places that it means nothing in are not listed. */
const BACK: Readonly<Record<string, string>> = {
  "knowMoreService.infoMenu": "preMenu",
  "knowMoreService.infoPage": "knowMoreService.infoMenu",
  "accountMenu.accountMenu": "preMenu",
  "login.customerIdEntry": "accountMenu.accountMenu",
  "login.pinEntry": "login.customerIdEntry",
  "login.verifying": "login.pinEntry",
  "login.loginSuccess": "preMenu",
  "login.mustChange.new": "login.pinEntry",
  "login.mustChange.confirm": "login.mustChange.new",
  "accountCreation.nameEntry": "accountMenu.accountMenu",
  "accountCreation.emailEntry": "accountCreation.nameEntry",
  "accountCreation.pinEntry": "accountCreation.emailEntry",
  "accountCreation.confirmPin": "accountCreation.pinEntry",
  "accountCreation.judgingPin": "accountCreation.pinEntry",
  "accountCreation.comparingPins": "accountCreation.pinEntry",
  "accountCreation.accountCreationSuccess": "accountMenu.accountMenu",
  userMainMenu: "preMenu",
  "myDomains.pending": "userMainMenu",
  "myDomains.list": "userMainMenu",
  "myDomains.detail": "myDomains.list",
  "myDomains.did": "myDomains.detail",
  "domainStatus.ask": "userMainMenu",
  "domainStatus.pending": "domainStatus.ask",
  "domainStatus.pick": "domainStatus.ask",
  "domainStatus.result": "userMainMenu",
  "askOracle.ask": "userMainMenu",
  "askOracle.pending": "userMainMenu",
  "askOracle.answer": "userMainMenu",
  "changePin.old": "userMainMenu",
  "changePin.verifying": "changePin.old",
  "changePin.judging": "changePin.new",
  "changePin.new": "changePin.old",
  "changePin.confirm": "changePin.new",
  "language.choose": "userMainMenu",
};

/** The same numbers for the same seed (mulberry32). */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What a person might type at that place, right and wrong. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  "login.customerIdEntry": ["<id>", "<id>", "<id>", "<reset>", "CNOTEXIST99", "nobody"],
  "login.pinEntry": ["43219", "43219", "<temporary>", "<temporary>", "99999", "12", "back"],
  "login.mustChange.new": ["86420", "11111", "8642"],
  "login.mustChange.confirm": ["86420", "86421"],
  "accountCreation.nameEntry": ["John Doe", "Exit", "José Núñez", "محمد", "123", "😀"],
  "accountCreation.emailEntry": ["00", "john@test.com", "not an address"],
  "accountCreation.pinEntry": ["43219", "11111", "4321"],
  "accountCreation.confirmPin": ["43219", "99999"],
  "domainStatus.ask": ["abc123", "c12300", "ffffff", "did:ixo:entity:0", "zz"],
  "askOracle.ask": ["hello oracle", "what * is a star", "no", "x".repeat(121)],
  "changePin.old": ["43219", "86420", "99999"],
  "changePin.new": ["86420", "43219", "11111"],
  "changePin.confirm": ["86420", "43219", "00000"],
};
const ODD = [
  "",
  "999",
  "98",
  "00",
  "7",
  "back",
  "EXIT",
  "'; DROP TABLE customers;--",
  "%s%n",
  "\u202Eabc",
  "#",
  "x".repeat(150),
];

/** An effect is at work there, and the wait screen shown. */
function isWaiting(path: string): boolean {
  return /\.(?:pending|verifying|asking|judging|judgingPin|comparing|comparingPins|creatingAccount|changing|saving)$/.test(
    path,
  );
}

/** How an option that is not there is refused, in every language. */
const INVALID = LANGUAGES.flatMap((language) => {
  const { long, short } = dictionaryOf(language).messages.invalidSelection;
  return [long.split("{choices}")[0] ?? long, short];
});

/** Keys that a reader sees at the start of lines. */
function printedKeys(body: string): readonly string[] {
  return Array.from(body.matchAll(/^(\d+|\*)\. /gm), ([, key]) => key ?? "");
}

/** Stands between the sessions and the accounts, and holds every answer back while it is told to. */
function createSlowPort() {
  let held: Promise<void> = Promise.resolve();
  return {
    over: (port: AccountsPort): AccountsPort =>
      new Proxy(port, {
        get: (_, name: keyof AccountsPort) => {
          const call = port[name] as (...args: readonly unknown[]) => Promise<unknown>;
          return async (...args: readonly unknown[]) => {
            await held;
            return call(...args);
          };
        },
      }),
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}

test(`a walk of ${STEPS} steps finds no trap`, { timeout: 600_000 }, async () => {
  const draw = chance(SEED);
  const pick = <Item>(items: readonly Item[], other: Item): Item => items[draw(items.length)] ?? other;
  const slow = createSlowPort();
  const gateway = await createUssdGateway({ accounts: slow.over });
  const { accounts } = gateway;
  const visited = new Map<string, number>();
  /** Ways that do not lead back. */
  const traps: string[] = [];
  let customerId = "";
  let reset = { customerId: "", temporaryPin: "" };
  let call = 0;
  let release: () => void = () => {};

  /** A customer of PIN 43219 who controls fifteen domains. */
  async function nextCustomer(): Promise<string> {
    const id = await newCustomer(accounts.port, newCaller());
    const controllers = [String(await customerColumn(gateway.database, id, "key_did"))];
    const endings = Array.from({ length: 14 }, (_, index) => `${index % 3}${index}c1230${index % 3}`);
    const domains = [...endings, "abc123"].map((digits) => domainEnding(digits, controllers));
    await gateway.domains.replace(...domains);
    return id;
  }

  /** One request; whatever waits for time gets it. */
  async function send(text: string) {
    const answer = await pastBudget(gateway, 400, gateway.post({ sessionId: `call-${call}`, text, mode: "latest" }));
    gateway.clock.advance(2_500);
    return answer;
  }

  async function place(): Promise<string> {
    return (await gateway.session(`call-${call}`).describe(false))?.path ?? "over";
  }

  async function dial() {
    call += 1;
    release();
    // A walk may have locked an account, or changed its PIN.
    const other = await newCustomer(accounts.port, newCaller());
    reset = await valueOf(accounts.operators.resetPin(other));
    customerId = await nextCustomer();
    return send("");
  }

  let reply = await dial();
  let path = await place();
  for (let step = 0; step < STEPS; step += 1) {
    if (draw(40) === 0) gateway.restart();
    if (draw(60) === 0)
      gateway.oracle.answers = pick(
        [
          { state: "running" },
          { state: "failed", reason: "no" },
          { state: "answered", text: "a word or two ".repeat(40) },
        ],
        { state: "running" },
      );
    if (draw(80) === 0) gateway.domains.isDown = !gateway.domains.isDown;
    if (draw(60) === 0) {
      release();
      const held = draw(6);
      release = held < 3 ? gateway.domains.hold() : held < 4 && path !== "over" ? slow.hold() : () => {};
    }

    const printed = printedKeys(reply.body);
    const numbers = printed.filter((key) => /^[1-9]\d?$/.test(key) && key !== "98");
    const data = TYPED[path] ?? [];
    const kind = draw(20);
    const input =
      kind < 9 && numbers.length > 0
        ? pick(numbers, "1")
        : kind < 15 && data.length > 0
          ? pick(data, "x")
              .replace("<id>", customerId)
              .replace("<reset>", reset.customerId)
              .replace("<temporary>", reset.temporaryPin)
          : kind < 17
            ? "0"
            : kind === 17 && printed.includes("98")
              ? "98"
              : draw(12) === 0
                ? "*"
                : pick(ODD, "");

    const before = { path, reply };
    // Of a gateway that sends only the latest input an empty text shows the screen again.
    reply = await send(input);
    path = await place();
    visited.set(path, (visited.get(path) ?? 0) + 1);
    const told = `seed ${SEED}, step ${step}: ${JSON.stringify(input)} at ${before.path}\n${before.reply.body}\n-> ${path}\n${reply.kind} ${reply.body}`;

    const isMenu = numbers.length > 0;
    const isInvalid = INVALID.some((reason) => reply.body.startsWith(reason));
    const isWorking = numbers.includes(input) || (input === "98" && printed.includes("98"));
    const isBack = input === "0" && printed.includes("0");
    // The word is exit on menus and data elsewhere.
    const exits = input === "*" || (input === "EXIT" && path === "over");
    const goesBack =
      (before.path === path && before.reply.body !== reply.body) ||
      // What was waited for may have come meanwhile: then it is shown.
      (isWaiting(before.path) && !isWaiting(path)) ||
      path === BACK[before.path];
    const isNowhere = input === "999" && isMenu && !before.path.endsWith("Success") && !isWaiting(before.path);
    const faults = [
      reply.kind !== (exits ? "END" : "CON") && "neither goes on nor ends as it should",
      (path === "over") !== exits && "is over, or is not",
      !fits(reply.body, limit) && "does not fit",
      reply.outcome !== "answered" && reply.outcome !== "replayed" && `is ${reply.outcome}`,
      (isWorking || isBack) && isInvalid && "prints an option that does not work",
      isBack && !goesBack && "does not go back",
      isNowhere && !(isInvalid && path === before.path) && "takes an option that is not printed",
    ].filter((fault) => fault !== false);
    expect(faults, told).toEqual([]);

    const hasEnded = reply.kind === "END";
    if (!hasEnded && draw(150) === 0) {
      const way: string[] = [];
      for (; path !== "preMenu" && way.length < DEEPEST; path = await place()) {
        way.push(path);
        await send("0");
      }
      if (path !== "preMenu") traps.push(`${way.join(", ")}\n${told}`);
      reply = await send("");
    }
    if (hasEnded) reply = await dial();
    if (hasEnded) path = await place();
  }
  release();
  expect(traps).toEqual([]);
  // The walk is worth nothing where it has not been.
  const missed = Object.keys(BACK).filter((each) => !isWaiting(each) && !visited.has(each));
  expect(missed).toEqual([]);
});
