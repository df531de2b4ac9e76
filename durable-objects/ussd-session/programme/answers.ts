/** Reads the answer to a question of a menu file. A message says why an answer is refused. */
import { failure, success, type Result } from "../../../platform/result.ts";
import { readEmail, readName, type InputKind } from "../input/typed-input.ts";
import type { Message } from "../texts/dictionary.ts";
import type { AskScreen } from "./screen-schemas.ts";

type Saved = Exclude<AskScreen, { readonly ask: "pin" }>;

/** The kind of input, which decides about its greatest length, stars and words such as "back". */
export function inputKindOf(screen: AskScreen): InputKind {
  switch (screen.ask) {
    case "choice":
      return "menu";
    case "pin":
      return "pin";
    case "text":
      return screen.format === undefined || screen.format === "any" ? "question" : "name";
    case "number":
    case "date":
    case "phone":
      return "customer-id";
  }
}

/** @param today UTC, such as 2026-11-28. */
export function readAnswer(screen: Saved, typed: string, today: string): Result<string, Message> {
  switch (screen.ask) {
    case "number":
      return readNumber(screen, typed);
    case "text":
      return readText(screen, typed);
    case "date":
      return readDate(screen, typed, today);
    case "phone":
      return readPhone(screen, typed);
    case "choice": {
      const choice = screen.choices.find(({ key }) => key === typed);
      return choice === undefined ? failure({ key: "invalidSelection" }) : success(choice.value);
    }
  }
}

function readNumber(screen: Extract<Saved, { ask: "number" }>, typed: string): Result<string, Message> {
  const { min, max, decimals = 0 } = screen;
  const wrong = failure<Message>({ key: "notNumber", values: { min, max } });
  const [, sign, digits = "", fraction = ""] = /^(-?)0*(\d{1,9})(?:[.,](\d{1,4}))?$/.exec(typed) ?? [];
  if (sign === undefined || fraction.length > decimals) return wrong;
  const text = `${sign}${digits}${fraction === "" ? "" : `.${fraction}`}`;
  return Number(text) >= min && Number(text) <= max ? success(text) : wrong;
}

function readText(screen: Extract<Saved, { ask: "text" }>, typed: string): Result<string, Message> {
  const { min = 1, max, format = "any" } = screen;
  const length = Array.from(typed).length;
  if (length > max) return failure({ key: "tooLong" });
  if (length < min) return failure({ key: "questionTooShort" });
  if (format === "digits") return /^\d+$/.test(typed) ? success(typed) : failure({ key: "notDigits" });
  if (format === "any") return success(typed);
  const read = format === "name" ? readName(typed) : readEmail(typed);
  return read.ok ? read : failure({ key: read.error });
}

/** Day, month, year, with `/`, `.`, `-`, a blank or nothing between them. Saved as 2026-11-28. */
function readDate(
  { from, until }: Extract<Saved, { ask: "date" }>,
  typed: string,
  today: string,
): Result<string, Message> {
  const wrong = failure<Message>({ key: "notDate" });
  const [, day, month, year] = /^(\d{1,2})[/. -]?(\d{1,2})[/. -]?(\d{4})$/.exec(typed) ?? [];
  if (day === undefined || month === undefined || year === undefined) return wrong;
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const time = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== date) return wrong;
  const bound = (limit: string): string => (limit === "today" ? today : limit);
  if (from !== undefined && date < bound(from)) return wrong;
  if (until !== undefined && date > bound(until)) return wrong;
  return success(date);
}

/** Saved with its plus and country code. */
function readPhone({ country }: Extract<Saved, { ask: "phone" }>, typed: string): Result<string, Message> {
  const digits = typed.replaceAll(/[ ()-]/g, "");
  const international = /^(?:\+|00)([1-9]\d{6,14})$/.exec(digits)?.[1];
  if (international !== undefined) return success(`+${international}`);
  const national = country === undefined ? undefined : /^0?([1-9]\d{6,11})$/.exec(digits)?.[1];
  if (national === undefined || country === undefined) return failure({ key: "notPhone" });
  const whole =
    national.startsWith(country) && national.length > country.length + 7 ? national : `${country}${national}`;
  return whole.length <= 15 ? success(`+${whole}`) : failure({ key: "notPhone" });
}

/** Septets of the widest answer. */
export function widestAnswer(screen: Saved): number {
  switch (screen.ask) {
    case "number": {
      const digits = Math.max(String(screen.min).length, String(screen.max).length);
      return digits + (screen.decimals === undefined || screen.decimals === 0 ? 0 : screen.decimals + 1);
    }
    case "text":
      return screen.max;
    case "date":
      return "2026-11-28".length;
    case "phone":
      return "+".length + 15;
    case "choice":
      return Math.max(...screen.choices.map(({ value }) => value.length));
  }
}
