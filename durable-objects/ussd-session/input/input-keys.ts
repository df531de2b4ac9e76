/**
 * What one sanitised input means on a step before the step's own rules: back, exit, skip, next page, or a value within
 * the step's length (contract/ussd.md sections 3 and 5.1). Whether a value is acceptable is entries.ts and the machine.
 */

export type StepKind = "menu" | "name" | "email" | "question" | "did" | "customer-id" | "pin";

/** Code points that one input may have on each kind of step. */
export const INPUT_LIMITS: Readonly<Record<StepKind, number>> = {
  menu: 20,
  name: 100,
  email: 100,
  question: 120,
  did: 80,
  "customer-id": 20,
  pin: 6,
};

export const BACK_KEY = "0";
export const EXIT_KEY = "*";
export const SKIP_KEY = "00";
export const MORE_KEY = "98";

/** Words of the field, on menus only: on a name step "Exit" is a name. */
const WORDS: ReadonlyMap<string, "back" | "exit"> = new Map([
  ["back", "back"],
  ["cancel", "back"],
  ["exit", "exit"],
]);

export type StepInput =
  | { readonly kind: "back" | "exit" | "skip" | "more" | "empty" | "too-long" }
  | { readonly kind: "value"; readonly value: string };

/**
 * @param input sanitised.
 * @param printed the keys that the last reply showed; skip and more work only where they are printed.
 */
export function readInput(input: string, step: StepKind, printed: readonly string[]): StepInput {
  if (input === "") return { kind: "empty" };
  if (input === EXIT_KEY || input === EXIT_KEY.repeat(2)) return { kind: "exit" };
  if (input === BACK_KEY) return { kind: "back" };
  if (input === SKIP_KEY && printed.includes(SKIP_KEY)) return { kind: "skip" };
  if (input === MORE_KEY && printed.includes(MORE_KEY)) return { kind: "more" };
  const word = step === "menu" ? WORDS.get(input.toLowerCase()) : undefined;
  if (word !== undefined) return { kind: word };
  if (Array.from(input).length > INPUT_LIMITS[step]) return { kind: "too-long" };
  return { kind: "value", value: input };
}

/** Steps that take an input with `*` in it whole; on all others `*` separates inputs. */
export function takesStars(step: StepKind): boolean {
  return step === "question";
}
