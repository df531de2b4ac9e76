/**
 * MCP servers outside the runtime under test, for tests inside workerd: started in Node before the project's test files. Tests
 * control a server over HTTP, since they run in another process.
 */
import type { TestProject } from "vitest/node";
import { startMcpPeer, type McpPeer, type McpPeerOptions } from "../peers/mcp-servers.ts";
import { startNodeFetchServer } from "../peers/node-fetch-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where servers are started and controlled: `POST /start`, `POST /<n>/<order>`, `GET /<n>`. */
    mcpPeers: string;
  }
}

export default async function startMcpPeers({ provide }: TestProject): Promise<() => Promise<void>> {
  const peers: McpPeer[] = [];

  async function order(request: Request): Promise<Response> {
    const [, index = "", command] = new URL(request.url).pathname.split("/");
    if (index === "start") {
      const { bearer, ...options } = await request.json<McpPeerOptions & { bearer?: string }>();
      const guard =
        bearer === undefined ? {} : { requireBearer: (token: string) => bearer === "*" || token === bearer };
      peers.push(await startMcpPeer({ ...options, ...guard }));
      return Response.json({ index: peers.length - 1, entry: peers.at(-1)?.entry });
    }
    const peer = peers[Number(index)];
    if (peer === undefined) return new Response("no such peer", { status: 404 });
    const text = await request.text();
    if (command === "describe") peer.describeChanging(text);
    if (command === "add-tool") peer.addTool();
    if (command === "break") peer.breakOff();
    if (command === "release") peer.release();
    if (command === "hang") peer.hang(text === "true");
    if (command === "stop") await peer.stop();
    return Response.json({ calls: peer.calls, requests: peer.requests });
  }

  const control = await startNodeFetchServer(order);
  provide("mcpPeers", control.url);
  return async () => {
    await Promise.all([...peers, control].map((server) => server.stop()));
  };
}
