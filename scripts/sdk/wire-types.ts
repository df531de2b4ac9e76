/** The text of sdk/src/core/wire.ts: one declaration for each type on the wire between clients and an oracle. */
import * as z from "zod";
import { frames } from "../../protocol/frames.ts";
import { messagePage, modelList, preferencesRecord, runRecord, sessionList } from "../../protocol/records.ts";
import { sendMessageBody } from "../../protocol/requests.ts";
import { clientEvents, serverEvents } from "../../protocol/socket-events.ts";
import { createTypePrinter, type Schema } from "./type-printer.ts";

/** The names of shared schemas, by their ids in `protocol/`, and what they are. */
const sharedTypes: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  EncryptedFile: { name: "EncryptedFile", description: "A file that Matrix keeps encrypted, with the key to it." },
  FrontendTools: { name: "FrontendTools", description: "How the oracle calls tools in the browser." },
  Message: { name: "MessageRecord", description: "A message as the oracle has stored it." },
  MessagePage: { name: "MessagePage", description: "A page of a session's messages, oldest first, whole turns only." },
  Model: { name: "ModelRecord", description: "A model that a message may ask for." },
  Preferences: { name: "PreferencesRecord", description: "How the user wants to be answered; only what is set." },
  Run: { name: "RunRecord", description: "A run that has not ended." },
  SendMessage: { name: "SendMessageInput", description: "A message as a client sends it." },
  Session: { name: "SessionRecord", description: "A session of the user with the oracle. Times are ISO 8601, UTC." },
  ToolCall: { name: "ToolCallRecord", description: "A call of a tool, as a stored message has it." },
};

const HEADER = `/**
 * What travels between an oracle and its clients, as types: frames, socket events, records, bodies. Written by
 * \`npm run wire-types\` from the schemas of protocol/; do not edit it.
 */

/** A value as JSON has it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** An object of JSON whose members belong to someone else. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}
`;

export function wireTypes(): string {
  const shared = new Map<string, Schema>();
  /** Parts of a body that have their own names. */
  const parts = new Map<Schema, string>();
  const printer = createTypePrinter((schema) =>
    typeof schema === "string" ? sharedTypes[schema]?.name : parts.get(schema),
  );

  function described(schema: z.ZodType, io: "input" | "output"): Schema {
    const { $defs = {}, ...own } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Schema;
    for (const [id, each] of Object.entries($defs)) shared.set(id, each);
    return own;
  }

  /** The interface of all events in one direction: a member for each, with its payload. */
  function events(
    name: string,
    description: string,
    rows: Readonly<Record<string, Row>>,
    io: "input" | "output",
  ): string {
    const members = Object.entries(rows).map(([event, { when, payload }]) => {
      const schema = described(payload, io);
      const text = when ?? schema.description;
      const key = /^\w+$/.test(event) ? event : JSON.stringify(event);
      return `${printer.docstring(text === undefined ? {} : { description: text })}readonly ${key}: ${printer.type(schema)};`;
    });
    return `/** ${description} */\nexport interface ${name} {\n${members.join("\n")}\n}\n`;
  }

  const frameRows = Object.fromEntries(Object.entries(frames).map(([event, payload]) => [event, { payload }]));
  const eventTypes = [
    events("Frames", "The frames of a run's stream, by their names, with their data.", frameRows, "output"),
    `/** The name of a frame. */\nexport type FrameName = keyof Frames;\n`,
    `/** What a frame holds. */\nexport type FrameData<Name extends FrameName> = Frames[Name];\n`,
    `/** One event of a run. */
export type RunEvent = { [Name in FrameName]: { readonly event: Name; readonly data: Frames[Name] } }[FrameName];\n`,
    events("ServerEvents", "The socket's events from the oracle, with their payloads.", serverEvents, "output"),
    `/** The name of an event from the oracle. */\nexport type ServerEventName = keyof ServerEvents;\n`,
    `/** What an event from the oracle holds. */
export type ServerPayload<Name extends ServerEventName> = ServerEvents[Name];\n`,
    events("ClientEvents", "The socket's events from a client, with their payloads.", clientEvents, "input"),
    `/** The name of an event from a client. */\nexport type ClientEventName = keyof ClientEvents;\n`,
    `/** What an event from a client holds. */
export type ClientPayload<Name extends ClientEventName> = ClientEvents[Name];\n`,
  ];

  const lists = [
    printer.declaration("SessionList", {
      description: "A page of a user's sessions.",
      ...described(sessionList, "output"),
    }),
    printer.declaration("ModelList", { description: "The models of an oracle.", ...described(modelList, "output") }),
  ];
  for (const record of [messagePage, runRecord, preferencesRecord]) described(record, "output");
  described(sendMessageBody, "input");
  const body = shared.get("SendMessage")?.properties;
  for (const [member, name, description] of [
    ["attachments", "Attachment", "A file in Matrix, sent with a message."],
    ["agActions", "ClientTool", "A browser tool, or an AG-UI action, as a message declares it."],
  ] as const) {
    const items = body?.[member]?.items;
    if (items === undefined) throw new Error(`a message has no ${member}`);
    lists.push(printer.declaration(name, { description, ...items }));
    parts.set(items, name);
  }
  const records = [...shared]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([id, schema]) => {
      const type = sharedTypes[id];
      if (type === undefined) throw new Error(`${id} has no name`);
      return printer.declaration(type.name, { description: type.description, ...schema });
    });
  return [HEADER, ...eventTypes, ...lists, ...records].join("\n");
}

interface Row {
  readonly when?: string;
  readonly payload: z.ZodType;
}
