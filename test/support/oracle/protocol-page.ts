/** docs/reference/oracle-protocol.md, generated from protocol/. */
import * as z from "zod";
import {
  classCodes,
  limitCodes,
  runFailureCodes,
  runNoticeCodes,
  unauthorizedCodes,
  type CodeMeaning,
} from "../../../protocol/error-codes.ts";
import { errorBody, unauthorizedBody } from "../../../protocol/errors.ts";
import { frames } from "../../../protocol/frames.ts";
import * as records from "../../../protocol/records.ts";
import { encryptedFile, sendMessageBody, storeDelegationBody } from "../../../protocol/requests.ts";
import { clientEvents, serverEvents } from "../../../protocol/socket-events.ts";

const HEAD = `# Oracle protocol

This page lists the messages between the oracle (the chat service) and its clients, member by member. It is generated from the schemas in
[protocol/](../../protocol/README.md), and a test checks that it is current. After a change of a schema, regenerate it with
\`npx vitest run --project unit protocol/protocol-page.test.ts --update\`. The rules of the service are in the
[oracle reference](oracle.md).

A member with \`?\` is optional. Dates are ISO 8601 in UTC. Ignore members and events that you do not know, because new versions add more.`;

const FRAMES = `## Stream frames

\`POST /messages/{sessionId}\` with \`stream: true\` and \`GET /runs/{runId}\` return server-sent events. Each frame has an
\`event\`, an \`id\` that grows within its run, and one line of JSON as \`data\`. \`done\` is always the last frame.`;

const SOCKETS = `## Socket.IO events

A page that offers browser tools or AG-UI actions, or that shows live changes of a session, connects to \`/socket.io/\`. An event is
\`flat\` or \`hybrid\`. A flat event is the payload alone. A hybrid event is the payload with two more members, \`eventName\` and
\`payload\`, a copy of the payload: older clients listen to every event and read only those two.`;

const ENDINGS = `## How a connection ends

This table shows how standard clients (\`socket.io-client\`) report the end of a connection, and whether they reconnect automatically. The
close code belongs to the websocket.

| event                                                                                    | packet, close code | the client reports     | reconnects |
| ---------------------------------------------------------------------------------------- | ------------------ | ---------------------- | ---------- |
| the connection is refused; the message gives the reason                                  | \`44\`, 4401         | \`connect_error\`        | no         |
| the delegation that alone signs the user in has expired, or the user has deleted it      | \`41\`, 4401         | \`io server disconnect\` | no         |
| the session is deleted, or a newer connection replaces this one (8 a session, 32 a user) | \`41\`, 1000         | \`io server disconnect\` | no         |
| no answer to a ping in time                                                              | 4408               | \`transport close\`      | yes        |
| more than 4 MB unread for 10 s, or more than 12 MB                                       | 4413               | \`transport close\`      | yes        |
| more than 200 packets at once and 50 a second                                            | 4429               | \`transport close\`      | yes        |
| the network fails                                                                        | none               | \`transport close\`      | yes        |

Delegations are checked with every round of pings, so a connection ends up to one ping interval late. After \`io server
disconnect\`, a page gets a new token and calls \`socket.connect()\`. A connection that returns within two minutes keeps its id
and receives the events that it missed. If it returns within 5 s, it can still answer the calls that were sent to it.`;

const CODES =
  "A code identifies the error and what to do about it. Let programs decide by the code, and show users the message.";

const receivers = {
  caller: "the socket that sent the request",
  room: "every socket of the session",
  one: "one socket of the session",
  "one-or-room":
    "one socket of the session; with the name `approve_tool`, to every socket and to each that connects while the question is open",
} as const;

/** The records, by the name that other tables link to. */
const named = [
  records.sessionRecord,
  records.messageRecord,
  records.toolCallRecord,
  records.messagePage,
  records.runRecord,
  records.messageReply,
  records.modelRecord,
  records.frontendTools,
  records.preferencesRecord,
];

export function protocolPage(): string {
  return [
    HEAD,
    FRAMES,
    ...Object.entries(frames).flatMap(([name, schema]) => [
      `### \`${name}\``,
      schema.description ?? "",
      members(schema),
    ]),
    SOCKETS,
    "### From the oracle",
    ...Object.entries(serverEvents).flatMap(([name, { when, form, to, payload }]) => [
      `#### \`${name}\``,
      `${when} Sent to ${receivers[to]}; ${form}.`,
      members(payload),
    ]),
    "### From the client",
    ...Object.entries(clientEvents).flatMap(([name, { when, payload }]) => [
      `#### \`${name}\``,
      when,
      members(payload),
    ]),
    ENDINGS,
    "## Records",
    ...named.flatMap((schema) => [`### ${nameOf(schema)}`, members(schema)]),
    "## Request bodies",
    ...[sendMessageBody, encryptedFile, storeDelegationBody].flatMap((schema) => [
      `### ${nameOf(schema)}`,
      members(schema, "input"),
    ]),
    "## Errors",
    errorBody.description ?? "",
    members(errorBody),
    "A 401 also has these members:",
    members(unauthorizedBody.pick({ code: true, reason: true })),
    "### Codes",
    CODES,
    codeList({ ...unauthorizedCodes, ...limitCodes, ...classCodes }),
    "An `error` frame has one of these codes:",
    codeList({ ...runFailureCodes, ...runNoticeCodes }),
  ]
    .join("\n\n")
    .concat("\n");
}

function codeList(codes: Readonly<Record<string, CodeMeaning>>): string {
  return Object.entries(codes)
    .map(([code, [when, then]]) => `- \`${code}\`: ${when} ${then}`)
    .join("\n");
}

/** Enums up to this length are listed in place; only the lists of codes, which have a separate section, are longer. */
const LONGEST_ENUM = 12;

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

function nameOf(schema: z.ZodType): string {
  return schema.meta()?.id ?? "";
}

/** An object's members as a list. */
function members(schema: z.ZodType, io: "input" | "output" = "output"): string {
  const described = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema;
  // A named schema is a reference to its definition.
  const { properties, required = [] } = described.$defs?.[nameOf(schema)] ?? described;
  if (properties === undefined) return "No payload. The oracle ignores any payload.";
  return Object.entries(properties)
    .map(([name, member]) => {
      const meaning = member.description === undefined ? "" : `. ${member.description}`;
      return `- \`${name}${required.includes(name) ? "" : "?"}\`: ${typeOf(member)}${meaning}`;
    })
    .join("\n");
}

function typeOf(schema: JsonSchema): string {
  const name = schema.$ref?.replace("#/$defs/", "");
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined && schema.enum.length > LONGEST_ENUM) return "one of the [codes](#codes)";
  if (schema.enum !== undefined) return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(", ");
  if (schema.anyOf !== undefined && schema.type === undefined) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.properties !== undefined) return inline(schema.properties, schema.required ?? []);
  if (schema.type === undefined) return "any JSON";
  const types = [schema.type].flat().join(" or ");
  return schema.format === undefined ? types : `${types} (${schema.format})`;
}

function inline(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): string {
  const all = Object.entries(properties).map(
    ([name, member]) => `\`${name}${required.includes(name) ? "" : "?"}\`: ${typeOf(member)}`,
  );
  return `{ ${all.join("; ")} }`;
}
