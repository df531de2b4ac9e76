/**
 * The six kinds of screens of a menu file: menu, ask, call, show, end and go. Each has its own strict schema, so a wrong
 * member is named; the member with the kind's name decides which one applies.
 */
import * as z from "zod";
import { flag, keyText, MOST, name, named, optionKey, roleList, serviceName, when, whole } from "./names.ts";

const textName = name.meta({ description: "A text of the file." });
const screenName = name.meta({ description: "A screen of the file." });
const valueName = name.meta({ description: "A value of the file." });

const option = z.strictObject({
  key: optionKey,
  text: textName,
  to: screenName,
  when: when.optional(),
  role: roleList.optional(),
});

/** Members of every screen that a caller sees. */
const seen = {
  id: name.optional().meta({ description: "The name in logs and statistics, if it differs from the screen's name." }),
  login: flag.optional().meta({ description: "Only for callers who are logged in. The login is checked." }),
  role: roleList.optional(),
  back: z
    .union([z.literal("none"), screenName])
    .optional()
    .meta({ description: "Where 0 leads: a screen, or none. By default the previous screen." }),
};

const exit = z
  .enum(["always", "fits", "never"])
  .optional()
  .meta({ description: "Whether the line with * is shown. By default where it fits; the key always works." });

const options = z.array(option).max(MOST.options);

const menuScreen = z.strictObject({
  menu: textName,
  options: options.min(1),
  compact: z
    .strictObject({ text: textName, options: z.record(keyText, textName) })
    .optional()
    .meta({ description: "The same options in fewer words, below a long message." }),
  pages: flag.optional().meta({ description: "May take several pages." }),
  exit,
  ...seen,
});

const showScreen = z.strictObject({
  show: textName,
  options: options.optional(),
  exit,
  ...seen,
});

/** Members of every question. */
const asked = { text: textName, to: screenName, ...seen };
const saved = {
  ...asked,
  save: valueName,
  optional: flag.optional().meta({ description: "00 skips the question and saves an empty text." }),
};
const HIGHEST = 999_999_999;

const day = z
  .string()
  .regex(/^(?:today|\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))$/, "write today, or a date such as 2026-12-31");

const askSchemas = {
  number: z.strictObject({
    ask: z.literal("number"),
    ...saved,
    min: whole(-HIGHEST, HIGHEST),
    max: whole(-HIGHEST, HIGHEST),
    decimals: whole(0, 4).optional(),
  }),
  text: z.strictObject({
    ask: z.literal("text"),
    ...saved,
    min: whole(1, 120).optional(),
    max: whole(1, 120),
    format: z.enum(["any", "name", "email", "digits"]).optional(),
  }),
  date: z.strictObject({ ask: z.literal("date"), ...saved, from: day.optional(), until: day.optional() }),
  phone: z.strictObject({
    ask: z.literal("phone"),
    ...saved,
    country: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, "write the country code without +, such as 260")
      .optional(),
  }),
  choice: z.strictObject({
    ask: z.literal("choice"),
    ...saved,
    choices: z
      .array(z.strictObject({ key: optionKey, text: textName, value: name, to: screenName.optional() }))
      .min(1)
      .max(MOST.options),
  }),
  pin: z.strictObject({
    ask: z.literal("pin"),
    ...asked,
    locked: screenName.meta({ description: "After too many wrong PINs." }),
  }),
} as const;

const callScreen = z.strictObject({
  call: serviceName,
  with: named(name, z.string().max(200), MOST.members)
    .optional()
    .meta({ description: "The members of the call, such as qty: {qty}." }),
  save: named(name, name, MOST.members)
    .optional()
    .meta({ description: "Values from members of the answer, such as amount: amount." }),
  to: screenName,
  failed: screenName,
  errors: named(name, screenName, MOST.members)
    .optional()
    .meta({ description: "Screens for the service's own error codes. failed is for all others." }),
});

const endScreen = z.strictObject({ end: textName, id: seen.id });

/** What is code, and only offered by the file. */
const parts = [
  "login",
  "create-account",
  "change-pin",
  "language",
  "my-records",
  "record-status",
  "ask-question",
] as const;
export type Part = (typeof parts)[number] | "sms";

const goSchemas = {
  part: z.strictObject({ go: z.enum(parts), done: screenName, back: screenName, failed: screenName }),
  sms: z.strictObject({ go: z.literal("sms"), about: textName, done: screenName, failed: screenName }),
  resume: z.strictObject({
    go: z.literal("resume"),
    account: screenName.meta({ description: "The screen that offers create-account." }),
    question: screenName.meta({ description: "The screen that offers ask-question." }),
  }),
} as const;

export type MenuScreen = z.output<typeof menuScreen>;
export type ShowScreen = z.output<typeof showScreen>;
type AskSchemas = typeof askSchemas;
export type AskScreen = { [Kind in keyof AskSchemas]: z.output<AskSchemas[Kind]> }[keyof AskSchemas];
export type CallScreen = z.output<typeof callScreen>;
export type EndScreen = z.output<typeof endScreen>;
export type GoScreen =
  | z.output<typeof goSchemas.part>
  | z.output<typeof goSchemas.sms>
  | z.output<typeof goSchemas.resume>;
export type FileScreen = MenuScreen | ShowScreen | AskScreen | CallScreen | EndScreen | GoScreen;
export type FileOption = z.output<typeof option>;

/** Every kind, for editors. */
export const anyScreen = z.union([
  menuScreen,
  askSchemas.number,
  askSchemas.text,
  askSchemas.date,
  askSchemas.phone,
  askSchemas.choice,
  askSchemas.pin,
  callScreen,
  showScreen,
  endScreen,
  goSchemas.part,
  goSchemas.sms,
  goSchemas.resume,
]);

const KINDS = ["menu", "ask", "call", "show", "end", "go"] as const;

/** The schema that applies to a screen, or a sentence about why none does. */
export function schemaOfScreen(screen: object): z.ZodType<FileScreen> | string {
  const [kind, ...more] = KINDS.filter((kind) => Object.hasOwn(screen, kind));
  if (kind === undefined) return `name its kind: ${KINDS.join(", ")}`;
  if (more.length > 0) return `has ${[kind, ...more].join(" and ")}; name one kind`;
  switch (kind) {
    case "menu":
      return menuScreen;
    case "call":
      return callScreen;
    case "show":
      return showScreen;
    case "end":
      return endScreen;
    case "ask": {
      const asked = (screen as { readonly ask: unknown }).ask;
      const found = Object.entries(askSchemas).find(([name]) => name === asked);
      return found?.[1] ?? `ask takes ${Object.keys(askSchemas).join(", ")}`;
    }
    case "go": {
      const part = (screen as { readonly go: unknown }).go;
      if (part === "sms" || part === "resume") return goSchemas[part];
      const isPart = parts.some((each) => each === part);
      return isPart ? goSchemas.part : `go takes ${[...parts, "sms", "resume"].join(", ")}`;
    }
  }
}
