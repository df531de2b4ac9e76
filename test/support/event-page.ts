/** docs/events.md as the catalogue of events gives it. */
import * as z from "zod";
import { events } from "../../durable-objects/chat-session/event-catalogue.ts";

type Row = (typeof events)[number];

const reached: Readonly<Record<Row["reaches"], string>> = {
  caller: "who asked",
  room: "every socket of the session",
  one: "one socket",
  server: "the oracle",
};

export function eventPage(): string {
  return [
    "# Events of the chat channel",
    "Made from `durable-objects/chat-session/event-catalogue.ts`; a test holds the two together. After a change there:\n`npx vitest run --project unit durable-objects/chat-session/event-catalogue.test.ts --update`.",
    "How a connection is opened, and what the forms `flat` and `hybrid` are, stands in [wire.md](wire.md#the-chat-channel). A\nmember with `?` may be missing. Dates are ISO 8601.",
    "## From the oracle",
    table("server", ["event", "when", "payload", "form", "reaches"]),
    "## From the client",
    table("client", ["event", "for", "payload"]),
  ]
    .join("\n\n")
    .concat("\n");
}

function table(direction: Row["direction"], heads: readonly string[]): string {
  const rows = events
    .filter((row) => row.direction === direction)
    .map((row) => [`\`${row.name}\``, row.when, payloadOf(row), row.form, reached[row.reaches]].slice(0, heads.length));
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? "")].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

function payloadOf({ payload }: Row): string {
  const schema = z.toJSONSchema(payload, { io: "input" }) as JsonSchema;
  if (schema.properties === undefined) return "none; any is ignored";
  const members = Object.entries(schema.properties).map(
    ([name, member]) => `${name}${schema.required?.includes(name) === true ? "" : "?"}: ${typeOf(member)}`,
  );
  return `\`{ ${members.join(", ")} }\``;
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  // A bar would end the cell.
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.type === "array") return `${typeOf(schema.items ?? {})}[]`;
  return schema.type === undefined ? "any JSON" : [schema.type].flat().join(" or ");
}
