/**
 * The query gateway with two gRPC-web nodes on separate ports, on a server as `npm start` runs it: one node dies during 1,000
 * requests and none is lost.
 */
import { create, type Message } from "@bufbuild/protobuf";
import { Agent, get } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { loadSchema } from "../../workers/query-gateway/descriptors/schema.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { ixoImage } from "../support/query-gateway/gateway-fixture.ts";
import { startGrpcWebNode, type GrpcWebNode, type NodeHandler } from "../support/query-gateway/grpc-web-node.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const REQUESTS = 1000;
/** Calls that the first node answers; the next one is in progress when it dies, and never gets an answer. */
const LIFE = 250;
const AT_ONCE = 16;
const HOUR_MS = 3_600_000;

let first: GrpcWebNode;
let second: GrpcWebNode;
let server: RunningServer;

const started = disposeAfterTests();
beforeAll(async () => {
  const schema = loadSchema(ixoImage());
  /** An entity with the requested id, at height 7. */
  const entity: NodeHandler = ({ message }, { responseHeader }, output) => {
    responseHeader.set("x-cosmos-block-height", "7");
    return create(output, { entity: { id: (message as Message & { id: string }).id } });
  };
  const dies: NodeHandler = (...call) => {
    if (first.seen.length === LIFE) void first.close();
    return entity(...call);
  };
  first = started(await startGrpcWebNode(schema, dies));
  second = started(await startGrpcWebNode(schema, entity));
  const nodes = [first, second].map(({ url }, index) => ({ name: `node-${index + 1}`, kind: "grpc-web", url }));
  // An open circuit stays open for the rest of the test.
  const upstream = { breaker: { failures: 5, windowMs: HOUR_MS, openMs: HOUR_MS } };
  server = started(
    await startRunningServer({
      GATEWAY_CONFIG: JSON.stringify({ deployments: [{ name: "main", nodes, upstream }] }),
    }),
  );
});

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
}

function ask(path: string, agent: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = get(server.url + path, { agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}

test("one of two nodes dies during 1,000 requests: none is lost, none answered wrongly [QG-81]", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const outcomes = new Map<string, number>();
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < REQUESTS) {
      const id = `did:ixo:entity:${(begun += 1)}`;
      const { status, text } = await ask(`/ixo/entity/${id}`, agent);
      const isRight = status === 200 && text.startsWith(`{"entity":{"id":"${id}",`);
      const outcome = isRight ? "answered" : `${status} ${text}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  agent.destroy();
  expect(Object.fromEntries(outcomes)).toEqual({ answered: REQUESTS });
  // Both were called, and the other node answered the dead one's requests.
  expect(first.seen.length).toBeGreaterThanOrEqual(LIFE);
  expect(second.seen.length).toBeGreaterThanOrEqual(REQUESTS - first.seen.length);
  const health = JSON.parse((await ask("/health", agent)).text) as { gateway: object };
  expect(health.gateway).toMatchObject({ status: "ok", nodes: [{ state: "open" }, { state: "ok", height: "7" }] });
});
