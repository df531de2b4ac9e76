/**
 * A menu file: the menus of one programme as data. It has languages, texts, the widest value of each variable, the calls of services,
 * roles, screens, and tests. It has no scripting language: arithmetic belongs to services.
 */
import * as z from "zod";
import { flag, languageCode, MOST, name, named, serviceName, text, valueSpec } from "./names.ts";
import { anyScreen, type FileScreen } from "./screen-schemas.ts";

/** The only format so far; a newer file is refused. */
const FORMAT = "1";

/** Septets of a short message: every screen has room for one. */
export const SHORT_LENGTH = 18;

const message = z.strictObject({
  long: text.max(120),
  short: text.max(SHORT_LENGTH).meta({ description: `At most ${SHORT_LENGTH} septets: shown if there is no room.` }),
});

/** Texts of the gateway itself, for a language that it does not have. */
const phrases = z.strictObject({
  name: text.max(20),
  back: text.max(12),
  exit: text.max(12),
  more: text.max(12),
  skip: text.max(12),
  or: text.max(8),
  cutMark: text.max(8),
  wait: text.max(60),
  checkAgain: text.max(20),
  goodbye: text.max(120),
  messages: z.strictObject({
    invalidSelection: message,
    empty: message,
    tooLong: message,
    questionTooShort: message,
    nameFormat: message,
    emailFormat: message,
    notNumber: message,
    notDate: message,
    notPhone: message,
    notDigits: message,
    loginPinFormat: message,
    wrongPin: message,
    locked: message,
    loginAgain: message,
    menuUpdated: message,
    unavailable: message,
  }),
});

const member = z.enum(["text", "number"]);

const service = z.strictObject({
  write: flag.optional().meta({ description: "Changes something: a PIN must be asked for before it." }),
  send: named(name, member, MOST.members).optional(),
  answer: named(name, member, MOST.members).optional(),
});

/** Maximum characters of an input or a value in a test. */
const SCALAR_LENGTH = 500;
const scalar = z.union([z.string().max(SCALAR_LENGTH), z.number().transform(String)]);

const outcome = z.union([
  z.strictObject({ answer: named(name, scalar, MOST.members) }),
  z.strictObject({ error: name }),
  z.strictObject({ failed: flag }),
]);

const step = z.strictObject({
  type: scalar.optional().meta({ description: "An input of the caller. A step without it is a dial." }),
  see: z
    .union([scalar, z.array(scalar).max(MOST.members)])
    .optional()
    .meta({ description: "Texts that the reply contains." }),
  exact: z.string().max(400).optional().meta({ description: "The whole reply." }),
  screen: name.optional(),
  ends: flag.optional(),
  calls: z.array(serviceName).max(MOST.members).optional().meta({ description: "The calls made by this step." }),
});

const fileTest = z.strictObject({
  name: text.max(100),
  person: z
    .strictObject({
      language: languageCode.optional(),
      name: scalar.optional(),
      customerId: scalar.optional(),
      role: name.optional(),
      pin: scalar.optional().meta({ description: "The right PIN." }),
      draft: z.enum(["account", "question"]).optional(),
      loggedIn: flag.optional(),
      sms: flag.optional(),
    })
    .optional(),
  today: z.iso.date().optional(),
  services: z
    .record(serviceName, z.union([outcome, z.array(outcome).min(1).max(MOST.members)]))
    .optional()
    .meta({ description: "The outcome of each call; of a list, one after the other." }),
  parts: z
    .record(name, z.enum(["done", "back", "failed", "revoked"]))
    .optional()
    .meta({ description: "How each screen of the kind go ends; done if left out." }),
  steps: z.array(step).min(1).max(MOST.steps),
});

const members = {
  menu: z
    .union([z.literal(FORMAT), z.literal(1).transform(() => FORMAT)], "this gateway reads format 1: write menu: 1")
    .meta({ description: "The format of the file: 1." }),
  programme: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, "write small letters, digits and -")
    .meta({ description: "The id of the programme." }),
  languages: z.array(languageCode).min(1).max(MOST.languages).meta({ description: "The first one is the default." }),
  start: name.meta({ description: "The first screen of a call." }),
  exit: name.optional().meta({ description: "The screen of the kind end that * shows." }),
  values: named(name, valueSpec, MOST.values).optional(),
  services: z.record(serviceName, service).optional(),
  roles: z.array(name).max(MOST.roles).optional(),
  texts: named(name, named(languageCode, text, MOST.languages), MOST.texts),
  phrases: named(languageCode, phrases, MOST.languages).optional(),
  tests: z.array(fileTest).max(MOST.tests).optional(),
};

/** Without the screens, whose kinds have their own schemas (screen-schemas.ts). */
export const menuFileFrame = z.strictObject({
  $schema: z.string().max(200).optional(),
  ...members,
  screens: named(name, z.record(z.string(), z.unknown()), MOST.screens),
});

/** For editors. */
export const menuFileSchema = z.strictObject({
  $schema: z.string().optional(),
  ...members,
  screens: z.record(name, anyScreen),
});

export interface MenuFile extends Omit<z.output<typeof menuFileFrame>, "screens"> {
  readonly screens: Readonly<Record<string, FileScreen>>;
}
export type Phrases = z.output<typeof phrases>;
export type FileTest = z.output<typeof fileTest>;
export type TestStep = z.output<typeof step>;
export type ValueSpec = z.output<typeof valueSpec>;
export type FileService = z.output<typeof service>;
