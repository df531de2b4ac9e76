/** docs/reference/oracle-protocol.md as protocol/ describes it. */
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

What the oracle and its clients send each other, member by member. The page is made from the schemas in
[protocol/](../../protocol/README.md), and a test compares the two. After a change there:
\`npx vitest run --project unit protocol/protocol-page.test.ts --update\`. The rules of the service are in
[oracle.md](oracle.md).

A member with \`?\` may be missing. Dates are ISO 8601, UTC. Ignore members and events that you do not know: the protocol
grows by adding them.`;

const FRAMES = `## Stream frames

\`POST /messages/:sessionId\` with \`stream: true\` and \`GET /runs/:runId\` answer with server-sent events. Each frame has an
\`event\`, an \`id\` that grows within its run, and one line of JSON as \`data\`. \`done\` is always the last frame.`;

const SOCKETS = `## Socket.IO events

A page that offers browser tools or AG-UI actions, or shows a session while it changes, connects to \`/socket.io/\`. The
form of an event is \`flat\` (the payload as it is) or \`hybrid\`: the payload, and with it the members \`eventName\` and
\`payload\`, which repeats the payload, because older clients listen to every event and read only those two.`;

const ENDINGS = `## How a connection ends

What stock clients (\`socket.io-client\`) report, and whether they reconnect by themselves. The close code is the websocket's.

| what happens                                                                                    | packet, close code | the client reports     | reconnects |
| ----------------------------------------------------------------------------------------------- | ------------------ | ---------------------- | ---------- |
| the connection is refused; the message says why                                                 | \`44\`, 4401         | \`connect_error\`        | no         |
| the delegation that alone proves the user has expired, or the user has deleted their delegation | \`41\`, 4401         | \`io server disconnect\` | no         |
| the session is deleted, or a newer connection replaces this one (8 a session, 32 a user)        | \`41\`, 1000         | \`io server disconnect\` | no         |
| no answer to a ping in time                                                                     | 4408               | \`transport close\`      | yes        |
| more than 4 MB unread for 10 s, or more than 12 MB                                              | 4413               | \`transport close\`      | yes        |
| more than 200 packets at once and 50 a second                                                   | 4429               | \`transport close\`      | yes        |
| the network fails                                                                               | none               | \`transport close\`      | yes        |

Delegations are checked with every round of pings, so a connection ends up to one ping interval late. After \`io server
disconnect\` a page gets a new token and calls \`socket.connect()\`. A connection that is back within two minutes keeps its id
and receives what it missed; one that is back within 5 s can also still answer the calls that it was sent.`;

const CODES = "A code says what is wrong and what to do about it. Decide by the code, show the message.";

const receivers = {
  caller: "the socket that asked",
  room: "every socket of the session",
  one: "one socket of the session",
  "one-or-room":
    "one socket of the session, `approve_tool` to every socket and to each that connects while the question is open",
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
    "A 401 has these as well.",
    members(unauthorizedBody.pick({ code: true, reason: true })),
    "### Codes",
    CODES,
    codeList({ ...unauthorizedCodes, ...limitCodes, ...classCodes }),
    "An `error` frame has one of these.",
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
  // A schema with a name of its own is a reference to its definition.
  const { properties, required = [] } = described.$defs?.[nameOf(schema)] ?? described;
  if (properties === undefined) return "No payload; one that is sent is ignored.";
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
