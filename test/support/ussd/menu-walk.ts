/** What a random walk over the menus types, and where 0 leads from each state. */

/** Where 0 leads from the first page of each state; states in which it means nothing are not listed. */
export const BACK: Readonly<Record<string, string>> = {
  "knowMoreService.infoMenu": "preMenu",
  "knowMoreService.infoPage": "knowMoreService.infoMenu",
  "accountMenu.accountMenu": "preMenu",
  "login.customerIdEntry": "accountMenu.accountMenu",
  "login.pinEntry": "login.customerIdEntry",
  "login.verifying": "login.pinEntry",
  "login.recoveryEntry": "login.customerIdEntry",
  "login.recovering": "login.recoveryEntry",
  "login.recovered": "login.customerIdEntry",
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
  openingServices: "preMenu",
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
export function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What a person might type in that state, right and wrong. */
export const TYPED: Readonly<Record<string, readonly string[]>> = {
  "login.customerIdEntry": ["<id>", "<id>", "<id>", "<reset>", "CNOTEXIST99", "nobody"],
  "login.recoveryEntry": ["43219", "86420", "99999"],
  "login.pinEntry": ["43219", "43219", "86420", "<temporary>", "<temporary>", "99999", "12", "back"],
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

export const ODD = [
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

/**
 * The possible input that was typed least often in that state. It decides every second step until every state was
 * visited, which therefore depends little on how many options the menus have.
 */
export function createLeastTyped(draw: (below: number) => number) {
  const counts = new Map<string, number>();
  return {
    of(path: string, inputs: readonly string[]): string | undefined {
      const times = (input: string): number => counts.get(`${path} ${input}`) ?? 0;
      const fewest = Math.min(...inputs.map(times));
      const rarest = inputs.filter((input) => times(input) === fewest);
      return rarest[draw(rarest.length)];
    },
    count(path: string, input: string): void {
      counts.set(`${path} ${input}`, (counts.get(`${path} ${input}`) ?? 0) + 1);
    },
  };
}
