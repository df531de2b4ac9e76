/** The user's input in a form: the answer for the server, and the errors of fields. */
import { chatTexts } from "../texts/chat.ts";
import type { QuestionField } from "./question-fields.ts";

/** The input, as a draft. */
export function draftOf(form: FormData): string {
  return JSON.stringify([...form]);
}

/** The fields with a draft's values instead of the server's suggestions. */
export function withDraft(fields: readonly QuestionField[], draft: string): readonly QuestionField[] {
  if (draft === "") return fields;
  const entries = JSON.parse(draft) as readonly (readonly [string, string])[];
  return fields.map((field) => {
    const texts = entries.filter(([control]) => control === field.control).map(([, text]) => text);
    return { ...field, initial: field.type === "yes" ? [String(texts.length > 0)] : texts };
  });
}

type Value = string | number | boolean | readonly string[];

const words = chatTexts.question.faults;

/** Empty fields are omitted. */
export function answerOf(fields: readonly QuestionField[], form: FormData): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    fields.flatMap((field): [string, Value][] => {
      const { name, control, type, isRequired } = field;
      if (type === "yes") return [[name, form.has(control)]];
      const texts = textsOf(field, form);
      if (type === "several") return texts.length > 0 || isRequired ? [[name, texts]] : [];
      const [text] = texts;
      return text === undefined ? [] : [[name, valueOf(field, text)]];
    }),
  );
}

/** Errors by field name. */
export function faultsOf(fields: readonly QuestionField[], form: FormData): ReadonlyMap<string, string> {
  return new Map(
    fields.flatMap((field): [string, string][] => {
      const fault = field.type === "yes" ? undefined : faultOf(field, textsOf(field, form));
      return fault === undefined ? [] : [[field.name, fault]];
    }),
  );
}

function faultOf({ type, isRequired, bounds }: QuestionField, texts: readonly string[]): string | undefined {
  const [text] = texts;
  if (type === "several") {
    if (texts.length === 0 && !isRequired) return undefined;
    return outside(texts.length, bounds, words.fewest, words.most);
  }
  if (text === undefined) return isRequired ? words.missing : undefined;
  if (type === "number" || type === "integer") {
    const number = numberOf(text);
    if (!Number.isFinite(number)) return words.number;
    if (type === "integer" && !Number.isInteger(number)) return words.integer;
    return outside(number, bounds, words.least, words.largest);
  }
  if (type === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return words.email;
  if (type === "url" && !URL.canParse(text)) return words.url;
  return outside(text.length, bounds, words.shortest, words.longest);
}

function outside(
  value: number,
  { least, most }: QuestionField["bounds"],
  tooLittle: (least: number) => string,
  tooMuch: (most: number) => string,
): string | undefined {
  if (least !== undefined && value < least) return tooLittle(least);
  return most !== undefined && value > most ? tooMuch(most) : undefined;
}

const textsOf = ({ control }: QuestionField, form: FormData): readonly string[] =>
  form.getAll(control).flatMap((text) => (typeof text === "string" && text.trim() !== "" ? [text.trim()] : []));

function valueOf({ type }: QuestionField, text: string): Value {
  if (type === "number" || type === "integer") return numberOf(text);
  // The browser returns local time.
  return type === "datetime" ? new Date(text).toISOString() : text;
}

/** Half the world writes a comma before decimals. */
const numberOf = (text: string): number => Number(text.replace(",", "."));
