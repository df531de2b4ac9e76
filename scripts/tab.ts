/**
 * `npm run tab`: a browser tab in the terminal. Connects to a new session with socket.io-client, offers a browser
 * tool and an AG-UI action for one message, answers the calls and prints every event. Each run is a new user.
 */
import { io } from "socket.io-client";
import { didDocument, sessionRecord } from "../protocol/records.ts";
import type { SendMessageInput } from "../protocol/requests.ts";
import type { ClientPayload, ServerPayload } from "../protocol/socket-events.ts";
import { seedIssuer } from "../sdk/src/core/key-issuer.ts";
import { defineCommand, runAs } from "./command.ts";
import { mintInvocation } from "./chat/tokens.ts";
import { serverAddress, unreachable } from "./server-address.ts";

const usage = `Usage: npm run tab -- [options] [message]

Opens a chat session, connects to it as a browser does, sends the message with the browser tool pageTitle and the AG-UI
action open_map, answers their calls and prints each event. The built-in model calls what "/tool <name> <json>" names,
one call per line; without a message, both are called.

  --url URL   the server; default http://localhost:3000, or the port in PORT
  --help      this text

Exit codes: 0 the run has ended, 1 refused or unreachable, 2 wrong usage.
`;
const BOTH = '/tool pageTitle {}\n/tool open_map {"at":"Lusaka"}';
const emptySchema = {};

const command = defineCommand({
  name: "npm run tab",
  usage,
  options: { url: { type: "string" } },
  takesWords: true,
  read: ({ values, words: [message = BOTH], environment }) => ({
    url: serverAddress(values.url, environment),
    message,
  }),
});
await runAs(command, openTab);

async function openTab({ url, message }: { readonly url: string; readonly message: string }): Promise<number> {
  try {
    const auth = { invocation: await newUser(url) };
    const headers = {
      Authorization: `Bearer ${auth.invocation}`,
      "X-Auth-Type": "ucan",
      "Content-Type": "application/json",
    };
    const opened = await fetch(`${url}/sessions`, { method: "POST", headers });
    const { sessionId } = sessionRecord.parse(await opened.json());

    const socket = io(url, { query: { sessionId }, auth });
    socket.onAny((name: string, payload: unknown) => print(`< ${name} ${JSON.stringify(payload)}`));
    socket.on("browser_tool_call", ({ toolCallId }: ServerPayload<"browser_tool_call">) => {
      const result: ClientPayload<"tool_result"> = { toolCallId, result: "Clean stoves" };
      socket.emit("tool_result", result);
    });
    socket.on("action_call", ({ toolCallId }: ServerPayload<"action_call">) => {
      const result: ClientPayload<"action_call_result"> = { sessionId, toolCallId, result: { success: true } };
      socket.emit("action_call_result", result);
    });
    const announced: ClientPayload<"announce_tools"> = { tools: ["pageTitle"], actions: ["open_map"] };
    await new Promise((resolve, reject) => {
      socket.on("connected", () => {
        socket.emit("announce_tools", announced);
        resolve(undefined);
      });
      socket.on("connect_error", reject);
    });

    const tools = [{ name: "pageTitle", description: "The title of the page", schema: emptySchema }];
    const agActions = [{ name: "open_map", description: "Shows a place on the map", schema: emptySchema }];
    const body: SendMessageInput = { message, tools, agActions };
    const replied = await fetch(`${url}/messages/${sessionId}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    print(`= ${await replied.text()}`);
    socket.disconnect();
    return replied.ok ? 0 : 1;
  } catch (error) {
    // Thrown by `fetch` if the server is not reachable.
    const reason = error instanceof TypeError ? unreachable(url, error) : (error as Error).message;
    process.stderr.write(`npm run tab: ${reason}\n`);
    return 1;
  }
}

/** A new key, and the invocation that it signs for this oracle. */
async function newUser(url: string): Promise<string> {
  const response = await fetch(`${url}/.well-known/did.json`);
  const { id } = didDocument.parse(await response.json());
  const identity = await seedIssuer(crypto.getRandomValues(new Uint8Array(32)));
  return await mintInvocation(identity, id, Math.floor(Date.now() / 1000));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
