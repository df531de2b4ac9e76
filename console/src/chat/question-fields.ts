/** The fields that a server asks the user to fill in, from the JSON schema of its question. */
import type { PendingQuestion } from "@twinedge/sdk";
import { membersOf } from "../../../shared/json-members.ts";
import { jsonText } from "../kit/json-text.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Length for text, value for numbers, count for multiple choice. */
export interface Bounds {
  readonly least: number | undefined;
  readonly most: number | undefined;
}

export interface QuestionField {
  readonly name: string;
  /** The name of its control: with the server's name, such as `setAttribute`, the form would lose that method. */
  readonly control: string;
  readonly label: string;
  /** The server's description. */
  readonly hint: string | undefined;
  readonly type: "text" | "email" | "url" | "date" | "datetime" | "number" | "integer" | "yes" | "one" | "several";
  /** The choices of `one` and `several`. */
  readonly choices: readonly Choice[];
  readonly bounds: Bounds;
  readonly isRequired: boolean;
  /** The initial value. */
  readonly initial: readonly string[];
}

export interface QuestionFields {
  readonly server: string;
  readonly message: string;
  readonly fields: readonly QuestionField[];
  /** The page that the server wants the user to open, instead of a form. */
  readonly url: string | undefined;
}

type Part = Readonly<Record<string, unknown>>;

export function fieldsOf({ args }: Pick<PendingQuestion, "args">): QuestionFields {
  const { properties, required } = membersOf(args["schema"]);
  const names = listOf(required);
  const url = textOf(args["url"]);
  return {
    server: textOf(args["server"]),
    message: textOf(args["message"]),
    fields: Object.entries(membersOf(properties)).map(([name, value], index) =>
      fieldOf({ name, control: `answer-${index}`, isRequired: names.includes(name) }, membersOf(value)),
    ),
    url: URL.parse(url)?.protocol === "https:" ? url : undefined,
  };
}

function fieldOf(own: Pick<QuestionField, "name" | "control" | "isRequired">, schema: Part): QuestionField {
  const type = typeOf(schema);
  return {
    ...own,
    label: textOf(schema["title"]) || own.name,
    hint: textOf(schema["description"]) || undefined,
    type,
    choices: type === "several" ? choicesOf(membersOf(schema["items"])) : choicesOf(schema),
    bounds: boundsOf(type, schema),
    initial: listOf(schema["default"] ?? []).map(plainOf),
  };
}

const formats: Readonly<Record<string, QuestionField["type"]>> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime",
};

function typeOf(schema: Part): QuestionField["type"] {
  const { type, format } = schema;
  if (type === "array") return "several";
  if (choicesOf(schema).length > 0) return "one";
  if (type === "boolean") return "yes";
  if (type === "number" || type === "integer") return type;
  const name = textOf(format);
  return (Object.hasOwn(formats, name) && formats[name]) || "text";
}

/** Named by `oneOf` or `anyOf`, by the older `enumNames`, or by their values. */
function choicesOf(schema: Part): readonly Choice[] {
  const named = listOf(schema["oneOf"] ?? schema["anyOf"] ?? []).map(membersOf);
  if (named.length > 0)
    return named.map((choice) => ({
      value: plainOf(choice["const"]),
      label: textOf(choice["title"]) || plainOf(choice["const"]),
    }));
  const labels = listOf(schema["enumNames"] ?? []);
  return listOf(schema["enum"] ?? []).map((value, index) => ({
    value: plainOf(value),
    label: textOf(labels[index]) || plainOf(value),
  }));
}

function boundsOf(type: QuestionField["type"], schema: Part): Bounds {
  const [least, most] =
    type === "several"
      ? (["minItems", "maxItems"] as const)
      : type === "number" || type === "integer"
        ? (["minimum", "maximum"] as const)
        : (["minLength", "maxLength"] as const);
  return { least: numberOf(schema[least]), most: numberOf(schema[most]) };
}

/** An object may have no text form, and would break the page. */
const plainOf = (value: unknown): string => (typeof value === "string" ? value : jsonText(value ?? null));
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
