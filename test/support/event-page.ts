/** docs/events.md as the catalogue of events gives it. */
import * as z from "zod";
import { clientEvents, serverEvents } from "../../protocol/socket-events.ts";

const receivers = { caller: "who asked", room: "every socket of the session", one: "one socket" } as const;

const ENDINGS = `What stock clients (\`socket.io-client\`) report, and whether they reconnect by themselves. The close code is the websocket's.

| what happens                                                                                       | packet, close code | the client reports     | reconnects |
| -------------------------------------------------------------------------------------------------- | ------------------ | ---------------------- | ---------- |
| the handshake is refused; the message says why                                                     | \`44\`, 4401         | \`connect_error\`        | no         |
| the delegation that alone proves the user has expired, or the user has revoked his delegation      | \`41\`, 4401         | \`io server disconnect\` | no         |
| the session is deleted, or a newer connection takes the place of this one (8 a session, 32 a user) | \`41\`, 1000         | \`io server disconnect\` | no         |
| no answer to a ping in time                                                                        | 4408               | \`transport close\`      | yes        |
| more than 4 MB unread for 10 s, or more than 12 MB                                                 | 4413               | \`transport close\`      | yes        |
| more than 200 packets at once and 50 a second                                                      | 4429               | \`transport close\`      | yes        |
| the network fails                                                                                  | none               | \`transport close\`      | yes        |

Delegations are looked at with every round of pings, so the end comes up to a ping interval late. After \`io server disconnect\`
a page gets a new token and calls \`socket.connect()\`. A connection that is back within two minutes gets its id and what it
missed; one that is back within 5 s can also still answer the calls that it was sent.`;

export function eventPage(): string {
  return [
    "# Events of the chat channel",
    "Made from `protocol/socket-events.ts`; a test holds the two together. After a change there:\n`npx vitest run --project unit durable-objects/chat-session/socket-events.test.ts --update`.",
    "How a connection is opened, and what the forms `flat` and `hybrid` are, stands in [wire.md](wire.md#the-chat-channel). A\nmember with `?` may be missing. Dates are ISO 8601.",
    "## How a connection ends",
    ENDINGS,
    "## From the oracle",
    table(
      ["event", "when", "payload", "form", "reaches"],
      Object.entries(serverEvents).map(([name, { when, payload, form, to }]) => [
        `\`${name}\``,
        when,
        payloadOf(payload),
        form,
        receivers[to],
      ]),
    ),
    "## From the client",
    table(
      ["event", "for", "payload"],
      Object.entries(clientEvents).map(([name, { when, payload }]) => [`\`${name}\``, when, payloadOf(payload)]),
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
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

function payloadOf(payload: z.ZodType): string {
  const schema = z.toJSONSchema(payload, { io: "input", unrepresentable: "any" }) as JsonSchema;
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
