/** The parts of a menu file that several of its schemas use: names, numbers, texts, conditions, and their limits. */
import * as z from "zod";

/** Maximum of each list of a file. */
export const MOST = {
  languages: 12,
  roles: 8,
  texts: 2_000,
  values: 100,
  services: 100,
  screens: 300,
  options: 20,
  members: 20,
  tests: 100,
  steps: 60,
} as const;

/** Maximum UTF-16 units of a text of the file. */
const TEXT_LENGTH = 2_000;
/** Maximum septets of a value on a screen. */
const VALUE_WIDTH = 500;

export const name = z
  .string()
  .regex(/^[A-Za-z][\w-]{0,39}$/, "write a letter, then at most 39 letters, digits, - or _")
  .meta({ description: "A name." });

export const languageCode = z
  .string()
  .regex(/^[a-z]{2,3}$/, "write a language as two or three small letters, such as en")
  .meta({ description: "A language, such as en." });

export const serviceName = z
  .string()
  .regex(/^[a-z][\w-]{0,29}(?:\.[a-z][\w-]{0,29}){0,2}$/, "write the name of a call, such as order.create")
  .meta({ description: "The name of a call, such as order.create. The address and the secret are settings." });

/** Line feeds, but no other control character. */
export const text = z
  .string()
  .min(1, "write a text")
  .max(TEXT_LENGTH, `write at most ${TEXT_LENGTH} characters`)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|\n)*$/u, "leave out control characters");

/** A scalar of a YAML file is a text; JSON and editors have numbers too. */
export function whole(least: number, most: number) {
  const range = `write a whole number from ${least} to ${most}`;
  const read = z
    .string()
    .regex(/^-?\d{1,10}$/, range)
    .transform(Number)
    .pipe(z.int(range).min(least, range).max(most, range));
  return z.union([z.int(range).min(least, range).max(most, range), read], range);
}

export const flag = z.union(
  [z.literal(true), z.literal("true").transform((): true => true)],
  "write true, or leave it out",
);

/** `1` to `97`: `0`, `00` and `98` belong to the gateway. */
export const keyText = z.string().regex(/^(?:[1-9]|[1-8]\d|9[0-7])$/, "write a key from 1 to 97");

export const optionKey = z
  .union([z.int().transform(String), z.string()])
  .pipe(keyText)
  .meta({ description: "A key from 1 to 97. The gateway has 0, 00, 98 and *." });

export const valueSpec = z.strictObject({
  max: whole(1, VALUE_WIDTH).meta({ description: "Septets of its widest value on a screen." }),
  alphabet: z.enum(["gsm7", "any"]).optional().meta({
    description: "gsm7 (the default): a character that the phone's alphabet lacks is shown as a question mark.",
  }),
  cut: flag.optional().meta({ description: "A longer answer of a service is shortened; otherwise the call fails." }),
});

/** When an option is shown. */
const conditions = ["loggedIn", "loggedOut", "draft", "sms"] as const;
export type Condition = (typeof conditions)[number];

export const when = z.enum(conditions).meta({
  description: "Shown only to callers who are logged in or out, who have a draft, or if SMS can be sent.",
});

export const roleList = z.array(name).min(1).max(MOST.roles).meta({ description: "Shown only to these roles." });

/** A list of at most this many members with names. */
export function named<Value extends z.ZodType>(key: typeof name, value: Value, most: number) {
  return z.record(key, value).refine((members) => Object.keys(members).length <= most, `write at most ${most} of them`);
}
