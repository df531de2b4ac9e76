/**
 * Flows through the menus as data: the inputs, the screens after them, and their texts. A step is `[input, screen, ...phrases]`;
 * `dial` hangs up and dials again. `<id>` is the customer id shown last, `<hex>` the end of a domain's id, `<end>` the last five
 * digits of the phone number. flow-run.ts plays them.
 */
import type { SCREENS } from "./screens.ts";

export type FlowStep = readonly [input: string, screen: keyof typeof SCREENS, ...phrases: string[]];

export interface Flow {
  readonly name: string;
  /** An account that exists before the flow begins: name, PIN `43219`. */
  readonly customer?: true;
  readonly steps: readonly FlowStep[];
}

/** Two pages of an answer. */
export const ANSWER = `The first page of the answer ${"goes on and on ".repeat(10)}until the second one.`;
/** The end of the id of the domain that the flow's customer controls. */
export const DOMAIN_DIGITS = "abc123";

const login: readonly FlowStep[] = [
  ["", "W"],
  ["2", "A"],
  ["1", "L"],
  ["<id>", "Q"],
  ["43219", "OK"],
  ["1", "W3"],
];

const services: readonly FlowStep[] = [...login, ["3", "SV"]];

export const FLOWS: readonly Flow[] = [
  {
    name: "know more",
    steps: [
      ["", "W"],
      ["1", "I"],
      ["1", "S"],
      ["98", "S2"],
      ["1", "W"],
    ],
  },
  {
    name: "know more, with back",
    steps: [
      ["", "W"],
      ["1", "I"],
      ["2", "Sprice"],
      ["0", "I"],
      ["3", "Sdeliver"],
      ["0", "I"],
      ["0", "W"],
    ],
  },
  {
    name: "create an account, full",
    steps: [
      ["", "W"],
      ["2", "A"],
      ["2", "N"],
      ["John Doe", "E"],
      ["john@test.com", "P"],
      ["43219", "C"],
      ["43219", "K"],
      ["1", "A"],
    ],
  },
  {
    name: "create an account, e-mail skipped, then log in with it",
    steps: [
      ["", "W"],
      ["2", "A"],
      ["2", "N"],
      ["John Doe", "E"],
      ["00", "P"],
      ["43219", "C"],
      ["43219", "K"],
      ["1", "A"],
      ["1", "L"],
      ["<id>", "Q"],
      ["43219", "OK"],
      ["0", "W3"],
    ],
  },
  {
    name: "create an account, mismatch",
    steps: [
      ["", "W"],
      ["2", "A"],
      ["2", "N"],
      ["John Doe", "E"],
      ["00", "P"],
      ["43219", "C"],
      ["98764", "P", "PINs do not match.\n\n"],
      ["43219", "C"],
      ["43219", "K"],
      ["1", "A"],
    ],
  },
  {
    name: "create an account, everything wrong first",
    steps: [
      ["", "W"],
      ["2", "A"],
      ["2", "N"],
      ["0123", "N", "Use letters, spaces, ' or - only."],
      ["O'Brien-Núñez", "E"],
      ["john@test", "E", "That email is not valid."],
      ["john@test.com", "P"],
      ["4321", "P", "PIN must be 5 digits."],
      ["11111", "P", "That PIN is too easy to guess."],
      ["<end>", "P", "That PIN is too easy to guess."],
      ["43219", "C"],
      ["4321", "C", "PIN must be 5 digits."],
      ["43219", "K"],
    ],
  },
  { name: "log in", customer: true, steps: [...login, ["1", "I"]] },
  {
    name: "log in, wrong PIN",
    customer: true,
    steps: [
      ["", "W"],
      ["2", "A"],
      ["1", "L"],
      ["nonsense", "Lhelp", "Invalid Customer ID format. Please try again."],
      ["<id>", "Q"],
      ["123", "Q", "PIN must be 4 to 6 digits."],
      ["99999", "Q", "Incorrect Customer ID or PIN. 1 of 3 attempts used, 2 left."],
      ["43219", "OK"],
      ["1", "W3"],
    ],
  },
  {
    name: "an id that was forgotten",
    customer: true,
    steps: [
      ["", "W"],
      ["2", "A"],
      ["1", "L"],
      ["0000", "Lhelp"],
      ["00", "FP"],
      ["99999", "FP", "Not the PIN of this number's only account. 1 of 3 attempts used, 2 left."],
      ["43219", "FI", "Your Customer ID: C"],
      ["1", "Q"],
      ["43219", "OK"],
      ["1", "W3"],
    ],
  },
  {
    name: "log in, unknown id",
    steps: [
      ["", "W"],
      ["2", "A"],
      ["1", "L"],
      ["CNOTEXIST99", "Q"],
      ["43219", "Q", "Incorrect Customer ID or PIN. 1 of 3 attempts used, 2 left."],
      ["43219", "Q", "Incorrect Customer ID or PIN. 2 of 3 attempts used, 1 left."],
      ["43219", "Acompact", "Too many incorrect attempts. Locked for 15 minutes."],
    ],
  },
  {
    name: "exit from a menu",
    steps: [
      ["", "W"],
      ["1", "I"],
      ["1", "S"],
      ["*", "X"],
    ],
  },
  {
    name: "back chain",
    steps: [
      ["", "W"],
      ["2", "A"],
      ["0", "W"],
      ["1", "I"],
      ["1", "S"],
      ["0", "I"],
      ["0", "W"],
      ["2", "A"],
      ["2", "N"],
      ["0", "A"],
      ["0", "W"],
    ],
  },
  {
    name: "services",
    customer: true,
    steps: [
      ...services,
      ["1", "MD", "1. Stove abc123: verified"],
      ["1", "DR", "1. Show its number"],
      ["1", "DID", DOMAIN_DIGITS],
      ["0", "DR"],
      ["0", "MD"],
      ["0", "SV"],
      ["2", "DQ"],
      ["zz", "DQ", "That is not a record's number."],
      ["ffffff", "DQ", "There is no such record."],
      ["<hex>", "DR", "1. Check another"],
      ["1", "DQ"],
      ["<hex>", "DR"],
      ["0", "SV"],
      ["3", "OQ"],
      ["no", "OQ", "Too short."],
      ["hello oracle", "OA", "98. More"],
      ["98", "OA2"],
      ["0", "OA"],
      ["0", "SV"],
      ["*", "X"],
    ],
  },
  {
    name: "change the PIN",
    customer: true,
    steps: [
      ...services,
      ["4", "PO"],
      ["99999", "PO", "Incorrect PIN. 1 of 3 attempts used, 2 left."],
      ["43219", "PN"],
      ["43219", "PN", "The new PIN must differ from the old one."],
      ["86420", "PC"],
      ["86421", "PN", "PINs do not match."],
      ["86420", "PC"],
      ["86420", "SV", "Your PIN was changed."],
      ["0", "W3"],
      ["2", "A"],
      ["1", "L"],
      ["<id>", "Q"],
      ["43219", "Q", "Incorrect Customer ID or PIN."],
      ["86420", "OK"],
    ],
  },
  {
    name: "language, which the next dial speaks",
    customer: true,
    steps: [...services, ["5", "LG"], ["2", "SVsw", "Lugha yako sasa ni Kiswahili."], ["0", "Wsw"], ["dial", "Wsw"]],
  },
  {
    name: "drop and resume",
    steps: [
      ["", "W"],
      ["2", "A"],
      ["2", "N"],
      ["John Doe", "E"],
      ["john@test.com", "P"],
      ["dial", "W9"],
      ["9", "P"],
      ["43219", "C"],
      ["43219", "K"],
      ["dial", "K"],
      ["dial", "K"],
      ["1", "A"],
      ["dial", "W"],
    ],
  },
  {
    name: "a question that is answered after the line dropped",
    customer: true,
    steps: [
      ...services,
      ["3", "OQ"],
      ["hello * oracle", "OA"],
      ["dial", "W9"],
      ["9", "L", "Log in to see your answer."],
      ["<id>", "Q"],
      ["43219", "OK"],
      ["1", "OA"],
    ],
  },
];
