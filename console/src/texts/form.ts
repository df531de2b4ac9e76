/** Sentences on what is wrong with a field of a form. */

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
  type: (type: string) => `This must be ${types[type] ?? type}.`,
};
