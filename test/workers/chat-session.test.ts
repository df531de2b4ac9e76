import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { ChatSessionRpc, SessionRecord, TurnRequest } from "../../durable-objects/chat-session/rpc.ts";

const owner = "did:key:z6MkOwner";

function record(sessionId: string): SessionRecord {
  const at = new Date().toISOString();
  return { sessionId, title: "Untitled", createdAt: at, lastUpdatedAt: at, oracleName: "O", oracleDid: "did:x", oracleEntityDid: "did:x" };
}

function turn(message: string, change: Partial<TurnRequest> = {}): TurnRequest {
  return { requestId: "req-1", client: "portal", message, multitask: "interrupt", attachments: [], tools: [], agActions: [], mcpInvocations: {}, metadata: {}, ...change };
}

async function session(): Promise<{ chat: ChatSessionRpc; id: string }> {
  const id = crypto.randomUUID();
  const chat = env.CHAT_SESSION.getByName(id) as unknown as ChatSessionRpc;
  await chat.create(owner, record(id));
  return { chat, id };
}

test("streams", async () => {
  const { chat } = await session();
  const started = await chat.startTurn(owner, turn("hello there"));
  if (!started.ok) throw new Error("no");
  console.log(await new Response(started.value.frames).text());
  const t2 = await chat.completeTurn(owner, turn("/tool foo {}"), true);
  console.log(JSON.stringify(t2, null, 1));
  console.log(JSON.stringify(await chat.messagePage(owner, { limit: 20 })));
});
