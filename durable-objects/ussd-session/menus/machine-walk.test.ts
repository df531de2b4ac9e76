/**
 * Random walks over the menus, below the session: whatever is typed, every reply begins with CON or END and fits,
 * printed options work and others are rejected, 0 and * do as documented, and no state is a trap.
 */
import { expect, onTestFinished, test, vi } from "vitest";
import { customerColumn, newCaller, newCustomer, valueOf } from "../../../test/support/ussd/accounts.ts";
import { pastBudget } from "../../../test/support/ussd/caller.ts";
import { createUssdGateway } from "../../../test/support/ussd/sessions.ts";
import { domainEnding } from "../../../test/support/registry/slowed-domains.ts";
import type { AccountsPort } from "../ports.ts";
import { fits } from "../texts/characters.ts";
import { dictionaryOf, LANGUAGES } from "../texts/dictionary.ts";
import type { Conversation, StepResult } from "./conversation.ts";
import { BACK, chance, TYPED, ODD, createLeastTyped } from "../../../test/support/ussd/menu-walk.ts";

/** Steps of the whole walk; `npm run check` takes a third of it, and more until every state was visited. */
const WHOLE = 20_000;

const STEPS = Math.ceil((WHOLE * Number(process.env.PROPERTY_RUNS ?? 300)) / 300);
const SEED = Number(process.env.WALK_SEED ?? 20_261_121);
const limit = { septets: 160, countPrefix: true };
/** Presses of 0 that lead from any state to the first screen: the deepest menu, including its pages. */
const DEEPEST = 16;
/**
 * The inputs after the dial that lead to the menu of services; used on a share of the calls, until every state was
 * visited.
 */
const LOG_IN = ["2", "1", "<id>", "43219", "1", "3"];

const CALLS_PER_LOGIN = 3;

/** Calls after which others hold the phone: accounts were locked, and their PINs changed. */
const CALLS_OF_A_CUSTOMER = 4;

/** An effect is running there, and the wait screen is shown. */
function isWaiting(path: string): boolean {
  return /(?:^openingServices|\.(?:recovering|pending|verifying|asking|judging|judgingPin|comparing|comparingPins|creatingAccount|changing|saving))$/.test(
    path,
  );
}

/** The message that refuses an unknown option, in every language. */
const INVALID = LANGUAGES.flatMap((language) => {
  const { long, short } = dictionaryOf(language).messages.invalidSelection;
  return [long.split("{choices}")[0] ?? long, short];
});

/** Keys printed at the start of lines. */
function printedKeys(body: string): readonly string[] {
  return Array.from(body.matchAll(/^(\d+|\*)\. /gm), ([, key]) => key ?? "");
}

/** A layer between the menus and the accounts that can hold every answer back. */
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

/**
 * The menus as several phones use them one after another, over real accounts, the real registry and the real oracle.
 */
async function createWalker(pick: (below: number) => number) {
  const slow = createSlowPort();
  const gateway = await createUssdGateway({ accounts: slow.over });
  const { accounts, clock, menus } = gateway;
  let release: () => void = () => {};
  let calls = 0;
  let caller = newCaller();
  let customerId = "";
  let reset = { customerId: "", temporaryPin: "" };
  let talk: Conversation | undefined;
  let last: StepResult | undefined;

  /** A customer with PIN 43219 who controls fifteen domains, and one with a temporary PIN. */
  async function nextCustomers(): Promise<void> {
    caller = newCaller();
    customerId = await newCustomer(accounts.port, caller);
    reset = await valueOf(accounts.operators.resetPin(await newCustomer(accounts.port, newCaller())));
    const controllers = [String(await customerColumn(gateway.database, customerId, "key_did"))];
    const endings = Array.from({ length: 14 }, (_, index) => `${index % 3}${index}c1230${index % 3}`);
    await gateway.domains.replace(...[...endings, "abc123"].map((digits) => domainEnding(digits, controllers)));
  }

  function stepOf(conversation: Conversation): StepResult {
    const result = conversation.result({ warning: undefined, isFull: false });
    if (result === undefined) throw new Error("the menus have failed");
    last = result;
    return result;
  }

  return {
    gateway,
    get customerId() {
      return customerId;
    },
    get reset() {
      return reset;
    },
    async dial(): Promise<StepResult> {
      release();
      if (calls % CALLS_OF_A_CUSTOMER === 0) await nextCustomers();
      calls += 1;
      const visit = { ...caller, serviceCode: "*2233#", visitKey: `visit-${calls}` };
      const { accountsLeft } = await valueOf(accounts.port.dial(visit));
      const language = LANGUAGES[pick(LANGUAGES.length)] ?? "en";
      talk?.stop();
      talk = menus.open({ caller, seed: `seed-${calls}`, language, draft: null, sms: false, accountsLeft });
      return stepOf(talk);
    },
    /** One request; timers that it waits for run. An empty text shows the screen again. */
    async send(text: string): Promise<StepResult> {
      if (talk === undefined) throw new Error("not dialled");
      const since = clock.now();
      const entry = text === "*" ? ({ kind: "exit" } as const) : ({ kind: "entry", remainder: text } as const);
      const done = text === "" ? talk.wait(since) : talk.apply(entry, since, last?.path);
      await pastBudget(gateway, 400, done);
      clock.advance(2_500);
      return stepOf(talk);
    },
    /** Loses all memory except stored data. */
    restart(): void {
      talk?.stop();
      if (last?.status === "live") talk = menus.restore(JSON.parse(JSON.stringify(last.machine)));
    },
    holdDomains(): void {
      release = gateway.domains.hold();
    },
    holdAccounts(): void {
      release = slow.hold();
    },
    release: (): void => release(),
  };
}

/** Silences its console log, which about a hundred questions would flood. */
function silenceOracle(): void {
  for (const method of ["log", "info", "warn", "error", "debug"] as const) vi.spyOn(console, method).mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
}

test(`a walk of ${STEPS} steps finds no trap [PH-15, PH-35, PH-36, PH-37, PH-42]`, { timeout: 600_000 }, async () => {
  silenceOracle();
  const draw = chance(SEED);
  const pick = <Item>(items: readonly Item[], other: Item): Item => items[draw(items.length)] ?? other;
  const walker = await createWalker(draw);
  const { domains, oracle } = walker.gateway;
  const toVisit = new Set(Object.keys(BACK).filter((path) => !isWaiting(path)));
  const leastTyped = createLeastTyped(draw);
  let planned: string[] = [];
  /** Paths that do not lead back. */
  const traps: string[] = [];

  let reply = await walker.dial();
  let step = 0;
  for (; step < STEPS || (toVisit.size > 0 && step < WHOLE); step += 1) {
    const before = reply;
    if (draw(40) === 0) walker.restart();
    if (draw(60) === 0)
      oracle.answers = pick(
        [
          { state: "running" },
          { state: "failed", reason: "no" },
          { state: "answered", text: "a word or two ".repeat(40) },
        ],
        { state: "running" },
      );
    if (draw(80) === 0) domains.isDown = !domains.isDown;
    if (draw(60) === 0) {
      walker.release();
      const held = draw(6);
      if (held < 3) walker.holdDomains();
      else if (held < 4) walker.holdAccounts();
    }

    const printed = printedKeys(before.shown.body);
    const numbers = printed.filter((key) => /^[1-9]\d?$/.test(key) && key !== "98");
    const data = TYPED[before.path] ?? [];
    const choices = [...numbers, ...data, ...printed.filter((key) => ["0", "00", "98"].includes(key))];
    const isSteered = toVisit.size > 0 && draw(2) === 0;
    const template = planned.shift() ?? (isSteered ? leastTyped.of(before.path, choices) : undefined) ?? drawn();
    leastTyped.count(before.path, template);
    const input = template
      .replace("<id>", walker.customerId)
      .replace("<reset>", walker.reset.customerId)
      .replace("<temporary>", walker.reset.temporaryPin);

    reply = await walker.send(input);
    const { path, shown } = reply;
    toVisit.delete(path);
    const story = () =>
      `seed ${SEED}, step ${step}: ${JSON.stringify(input)} at ${before.path}\n${before.shown.body}\n-> ${path}\n${shown.body}`;

    const isMenu = numbers.length > 0;
    const isInvalid = INVALID.some((message) => shown.body.startsWith(message));
    const isWorking = numbers.includes(input) || (input === "98" && printed.includes("98"));
    const isBack = input === "0" && printed.includes("0");
    const isOver = reply.status === "closed";
    // The word is exit on menus and data elsewhere.
    const exits = input === "*" || (input === "EXIT" && isOver);
    const goesBack =
      (before.path === path && before.shown.body !== shown.body) ||
      // The result may have arrived meanwhile and is then shown.
      (isWaiting(before.path) && !isWaiting(path)) ||
      path === BACK[before.path];
    const isNowhere = input === "999" && isMenu && !before.path.endsWith("Success") && !isWaiting(before.path);
    const faults = [
      shown.kind !== (exits ? "END" : "CON") && "neither continues nor ends as it should",
      isOver !== exits && "is over, or is not",
      !fits(shown.body, limit) && "does not fit",
      (isWorking || isBack) && isInvalid && "prints an option that does not work",
      isBack && !goesBack && "does not go back",
      isNowhere && !(isInvalid && path === before.path) && "accepts an option that is not printed",
    ].filter((fault) => fault !== false);
    expect(faults.length === 0 ? "" : `${faults.join(", ")}\n${story()}`).toBe("");

    if (!isOver && draw(150) === 0) {
      const way: string[] = [];
      for (; reply.path !== "preMenu" && way.length < DEEPEST; reply = await walker.send("0")) way.push(reply.path);
      if (reply.path !== "preMenu") traps.push(`${way.join(", ")}\n${story()}`);
    }
    if (isOver) {
      reply = await walker.dial();
      planned = toVisit.size > 0 && draw(CALLS_PER_LOGIN) === 0 ? [...LOG_IN] : [];
      if (planned.length > 0) domains.isDown = false;
    }

    function drawn(): string {
      const kind = draw(20);
      if (kind < 9 && numbers.length > 0) return pick(numbers, "1");
      if (kind < 15 && data.length > 0) return pick(data, "x");
      if (kind < 17) return "0";
      if (kind === 17 && printed.includes("98")) return "98";
      return draw(12) === 0 ? "*" : pick(ODD, "");
    }
  }
  walker.release();
  expect(traps).toEqual([]);
  // The walk must have visited every state.
  expect([...toVisit], `not visited in ${step} steps with seed ${SEED}: ${[...toVisit].join(", ")}`).toEqual([]);
});
