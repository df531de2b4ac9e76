/** The spans of one journey through each surface, as the platform exports them. */
import { beforeAll, expect, test } from "vitest";
import { mintInvocation, signer } from "../support/auth/ucan.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startTailedWorker, type TailedWorker, type TracedSpan } from "../support/server/tailed-worker.ts";

/** The platform's own spans carry addresses and SQL; these are ours. */
const OWN = /^(?:chat |execute_tool |invoke_agent|phone step|rpc |vote)/;
const PHONE = "+260971234567";
const MESSAGE = "my secret is blue";

let worker: TailedWorker;
const started = disposeAfterTests();
beforeAll(async () => {
  worker = started(await startTailedWorker());
});

/** Our spans of the work in `act`; a trace ends a moment after its response. */
async function spansOf(act: () => Promise<unknown>, expected: RegExp): Promise<readonly TracedSpan[]> {
  await worker.takeSpans();
  await act();
  const spans: TracedSpan[] = [];
  await expect
    .poll(
      async () => {
        spans.push(...(await worker.takeSpans()));
        return spans.some(({ name }) => expected.test(name));
      },
      { timeout: 10_000 },
    )
    .toBe(true);
  return spans.filter(({ name }) => OWN.test(name));
}

test("a run has spans for the agent and for each model call, with its tokens [ALL-74]", async () => {
  const { id: did } = await (await fetch(`${worker.url}/.well-known/did.json`)).json<{ id: string }>();
  const caller = await signer(20);
  const token = await mintInvocation(caller, did, Math.floor(Date.now() / 1000) + 600);
  const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan", "Content-Type": "application/json" };
  const created = await fetch(`${worker.url}/sessions`, { method: "POST", headers });
  const { sessionId } = await created.json<{ sessionId: string }>();
  const spans = await spansOf(async () => {
    const body = JSON.stringify({ message: MESSAGE });
    const answer = await fetch(`${worker.url}/messages/${sessionId}`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
  }, /^chat /);
  const model = spans.find(({ name }) => name.startsWith("chat "));
  expect(model?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.usage.output_tokens": expect.any(Number),
    "gen_ai.response.finish_reasons": "stop",
  });
  expect(spans.map(({ name }) => name)).toContain("invoke_agent");
  const text = JSON.stringify(spans);
  expect(text).not.toContain(MESSAGE);
  expect(text).not.toContain(caller.did());
});

test("a phone step names its screen, not its caller [ALL-74]", async () => {
  const spans = await spansOf(
    () =>
      fetch(`${worker.url}/api/ussd`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ sessionId: "traced-1", serviceCode: "*2233#", phoneNumber: PHONE, text: "" }),
      }),
    /^phone step/,
  );
  expect(spans.map(({ name, attributes }) => [name, attributes["twinedge.phone.screen"]])).toEqual([
    ["phone step", "W"],
  ]);
  expect(JSON.stringify(spans)).not.toContain(PHONE.slice(1));
});

test("a gateway call names the node and its code [ALL-74]", async () => {
  const spans = await spansOf(() => fetch(`${worker.url}/ixo/token/params`), /^rpc /);
  expect(spans).toHaveLength(1);
  expect(spans[0]?.attributes).toMatchObject({
    "rpc.system.name": "grpc",
    "rpc.response.status_code": "OK",
    "twinedge.node.kind": "embedded",
  });
});
