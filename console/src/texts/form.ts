/** Sentences on what is wrong with a field of a form. */
import { grouped } from "./number.ts";

/** Types of JSON in plain words. */
const types: Readonly<Record<string, string>> = {
  string: "a text",
  object: "a JSON object",
  array: "a list",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

export const formTexts = {
  required: "This is required.",
  notEmpty: "This must not be empty.",
  wrong: "This value is not accepted.",
  type: (type: string) => `This must be ${types[type] ?? type}.`,
  atLeast: (count: number) => `This needs at least ${count}.`,
  most: (count: number) => `There may be at most ${count}.`,
  longest: (count: number) => `This may have at most ${count} characters.`,
  least: (number: number) => `This must be at least ${grouped(number)}.`,
  greatest: (number: number) => `This may be at most ${grouped(number)}.`,
  oneOf: (values: readonly string[]) => `This must be one of: ${values.join(", ")}.`,
  pattern: (pattern: string) => {
    if (pattern.includes("did:")) return "Enter a DID, such as did:web:example.org.";
    if (pattern.includes(String.raw`\d{4}`)) return "Enter a date or time, such as 2027-01-31 or 2027-01-31T12:00:00Z.";
    if (/\[A-Za-z0-9\+\.-\]\*:|\[Ii\]\[Pp\]\[Ff\]\[Ss\]/.test(pattern))
      return "Enter an address, such as https://example.org/report.";
    if (pattern === String.raw`\S`) return "This must not be blank.";
    return "This has characters that are not accepted here.";
  },
};
