/**
 * Accounts of the phone gateway in memory, for walks of many thousands of steps: the answers of the port without hashes
 * and without SQL. What the port promises is tested where it is implemented; here a test decides what is refused.
 */
import type { AccountsPort, Customer, Login, LoginOutcome } from "../../durable-objects/ussd-session/ports.ts";
import { fault } from "../../workers/platform/errors.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";

interface Account {
  customer: Customer;
  pin: string;
  epoch: number;
  failed: number;
  mustChangePin: boolean;
}

export interface StandInAccounts {
  readonly port: AccountsPort;
  /** By customer id. */
  readonly customers: ReadonlyMap<string, Account>;
  /** Accounts made, by creation key. */
  readonly created: ReadonlyMap<string, string>;
  isDown: boolean;
  /** Holds every answer back until it is called off. */
  hold(): () => void;
  add(pin: string, keyDid?: string): string;
}

/** Wrong PINs until the account is locked. */
const ATTEMPTS = 3;
const WEAK = "11111";

export function createStandInAccounts(): StandInAccounts {
  const customers = new Map<string, Account>();
  const created = new Map<string, string>();
  const languages = new Map<string, Customer["language"]>();
  const visits = new Set<string>();
  let held: Promise<void> = Promise.resolve();

  function hold(): () => void {
    let release: () => void = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  function add(pin: string, keyDid = "", name = "John Doe"): string {
    const customerId = `C${String(customers.size + 1).padStart(9, "0")}`;
    const customer = { customerId, name, language: null, keyDid, linkedDid: null };
    customers.set(customerId, { customer, pin, epoch: 0, failed: 0, mustChangePin: false });
    return customerId;
  }

  async function answer<Value>(value: () => Value): Promise<Result<Value>> {
    await held;
    return accounts.isDown ? failure(fault("unavailable", "down")) : success(value());
  }

  function loggedIn({ customerId, epoch }: Login): Account | undefined {
    const account = customers.get(customerId);
    return account?.epoch === epoch ? account : undefined;
  }

  function logIn(customerId: string, pin: string): LoginOutcome {
    const account = customers.get(customerId);
    if (account === undefined) return { state: "refused", attemptsUsed: 1, attemptsLeft: ATTEMPTS - 1 };
    if (account.failed === ATTEMPTS) return { state: "locked", minutes: 15, now: false };
    if (account.pin !== pin) {
      account.failed += 1;
      const left = ATTEMPTS - account.failed;
      if (left === 0) return { state: "locked", minutes: 15, now: true };
      return { state: "refused", attemptsUsed: account.failed, attemptsLeft: left };
    }
    account.failed = 0;
    const login = { customerId, epoch: account.epoch };
    return { state: "accepted", login, customer: account.customer, mustChangePin: account.mustChangePin };
  }

  const port: AccountsPort = {
    dial: ({ phoneNumber, visitKey }) =>
      answer(() => {
        visits.add(visitKey);
        return { language: languages.get(phoneNumber) ?? null, resumable: null, accountsLeft: 5 };
      }),
    login: ({ customerId, pin }) => answer(() => logIn(customerId, pin)),
    preparePin: ({ pin, login }) =>
      answer(() => {
        if (pin === WEAK) return { accepted: false, flaw: "weak" };
        if (login !== undefined && loggedIn(login)?.pin === pin) return { accepted: false, flaw: "same" };
        return { accepted: true, sealed: seal(pin) };
      }),
    matchesPin: ({ pin, sealed }) => answer(() => sealed === seal(pin)),
    createAccount: ({ creationKey, name, sealedPin }) =>
      answer(() => {
        const customerId = created.get(creationKey) ?? add(unseal(sealedPin));
        created.set(creationKey, customerId);
        return { state: "created", customerId, name };
      }),
    changePin: ({ login, sealedPin }) =>
      answer(() => {
        const account = loggedIn(login);
        if (account === undefined) return null;
        account.pin = unseal(sealedPin);
        account.epoch += 1;
        account.mustChangePin = false;
        return { customerId: login.customerId, epoch: account.epoch };
      }),
    customer: (login) => answer(() => loggedIn(login)?.customer ?? null),
    setLanguage: ({ phoneNumber }, login, language) =>
      answer(() => {
        const account = login === null ? undefined : loggedIn(login);
        if (login !== null && account === undefined) return false;
        if (account !== undefined) account.customer = { ...account.customer, language };
        languages.set(phoneNumber, language);
        return true;
      }),
    mintInvocation: (login) => answer(() => (loggedIn(login) === undefined ? null : "invocation")),
    takeQuestion: (login) => answer(() => (loggedIn(login) === undefined ? null : "taken")),
    saveSession: () => answer(() => undefined),
    reportBindRefusal: () => answer(() => undefined),
  };
  const accounts: StandInAccounts = { port, customers, created, isDown: false, hold, add };
  return accounts;
}

/** Nothing that looks like the PIN may be found in what a session stores. */
function seal(pin: string): string {
  return `sealed:${pin.split("").toReversed().join("")}`;
}

function unseal(sealed: string): string {
  return sealed.slice("sealed:".length).split("").toReversed().join("");
}
