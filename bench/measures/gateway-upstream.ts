/**
 * The query gateway with a gRPC-web node in a separate process: compared with a bare Worker that makes the call and passes the
 * bytes on, with the call made directly to the node, and with Go's grpc-gateway with a gRPC node. Reported as the median time of
 * sequential requests, and as workerd's CPU time, which is stable when others share the machine.
 */
import { effortOf } from "../effort.ts";
import { startGoGateway } from "../go-gateway.ts";
import { fetchText, medianLatency, requestRate, type RequestSpec } from "../load.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Aim, type Row } from "../rows.ts";
import { startRuntime, type Runtime } from "../runtime.ts";
import { startUpstreamNode, type UpstreamNode } from "../upstream-node.ts";
import { CONNECTIONS, type Bench, type Measure } from "./measure.ts";

interface Query {
  readonly what: string;
  readonly path: string;
  readonly rpc: string;
  /** The bytes of the request message. */
  readonly bytes: Uint8Array;
}

const queries: readonly Query[] = [
  {
    what: "token parameters",
    path: "/ixo/token/params",
    rpc: "ixo.token.v1beta1.Query/Params",
    bytes: new Uint8Array(),
  },
  {
    what: "a page of 100 entities",
    path: "/ixo/entity?pagination.limit=100",
    rpc: "ixo.entity.v1beta1.Query/EntityList",
    // pagination (1) with limit (3) = 100.
    bytes: Uint8Array.of(0x0a, 2, 0x18, 100),
  },
];

/** At most 35 % more time. */
const AIM: Aim = { ratio: 1 / 1.35 };

export const gatewayUpstream: Measure = {
  name: "gateway-upstream",
  about: "the query gateway before a gRPC-web node, beside a bare Worker that makes the same call, and the call itself",
  async take(bench) {
    return await overNode(bench, async (runtime, node) => {
      const rows: Row[] = [];
      for (const query of queries) rows.push(...(await queryRows(query, runtime, node, bench.options)));
      return rows;
    });
  },
};

/** Runs with the gateway and a separate node, both stopped at the end. */
async function overNode<Result>(
  { bundles, makeFolder }: Bench,
  work: (runtime: Runtime, node: UpstreamNode) => Promise<Result>,
): Promise<Result> {
  const node = await startUpstreamNode();
  const config = { deployments: [{ name: "bench", nodes: [{ kind: "grpc-web", url: node.url }] }] };
  const runtime = await startRuntime(bundles, makeFolder(), { variables: { GATEWAY_CONFIG: JSON.stringify(config) } });
  try {
    return await work(runtime, node);
  } finally {
    await runtime.kill();
    node.kill();
  }
}

async function queryRows(
  { what, path, rpc, bytes }: Query,
  runtime: Runtime,
  node: UpstreamNode,
  { rounds, seconds }: Bench["options"],
): Promise<readonly Row[]> {
  const framed = frame(bytes);
  const call: RequestSpec = {
    path: `/${rpc}`,
    method: "POST",
    headers: { "Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1" },
    body: framed,
  };
  const asked = new URLSearchParams({ url: `${node.url}/${rpc}`, frame: Buffer.from(framed).toString("base64") });
  const time = (base: string, spec: RequestSpec) => () => medianLatency({ base, seconds, next: () => spec });
  const text = await fetchText(runtime.oracle, { path });
  if (!text.startsWith("{")) throw new Error(`${path} answered ${text}`);
  const same = { path: `/grpc-web?${asked.toString()}` };
  const { ours, bare, direct } = await inTurns(rounds, {
    ours: time(runtime.oracle, { path }),
    bare: time(runtime.bare, same),
    direct: time(node.url, call),
  });
  const effort = (base: string, spec: RequestSpec) => async () =>
    (await effortOf(runtime, { base, connections: CONNECTIONS, seconds, next: () => spec })).cpu;
  const cpu = await inTurns(rounds, { ours: effort(runtime.oracle, { path }), bare: effort(runtime.bare, same) });
  const row = { what, unit: "ms", scale: "time", samples: ours } as const;
  return [
    rowOf({ ...row, baseline: { name: "same call from a bare Worker", samples: bare }, aim: AIM }),
    rowOf({ ...row, baseline: { name: "the call itself, no Worker", samples: direct }, aim: AIM }),
    rowOf({
      ...row,
      what: `${what}: CPU of workerd`,
      unit: "µs",
      samples: cpu.ours,
      baseline: { name: "same call from a bare Worker", samples: cpu.bare },
    }),
    rowOf({
      ...row,
      what: `${what}: the bare Worker`,
      samples: bare,
      baseline: { name: "the call itself, no Worker", samples: direct },
    }),
  ];
}

/** Length before the bytes, flag 0. */
function frame(bytes: Uint8Array): Uint8Array {
  const framed = new Uint8Array(5 + bytes.length);
  new DataView(framed.buffer).setUint32(1, bytes.length);
  framed.set(bytes, 5);
  return framed;
}

const PATH = "/ixo/token/params";

/** Other software in another language and without a sandbox: both numbers are reported, without an aim. */
export const goGateway: Measure = {
  name: "go-gateway",
  about: "the query gateway beside Go's grpc-gateway, where Debian's packages of it are installed",
  async take(bench) {
    const { rounds, seconds } = bench.options;
    const reference = await startGoGateway(bench.makeFolder());
    if (typeof reference === "string") {
      bench.say(reference);
      return [];
    }
    const goRows = async ({ oracle }: Runtime): Promise<readonly Row[]> => {
      const answers = await Promise.all([oracle, reference.url].map((base) => fetchText(base, { path: PATH })));
      if (answers[0] !== answers[1]) throw new Error(`the two answer differently: ${answers.join(" and ")}`);
      const load = (base: string) => ({ base, seconds, next: () => ({ path: PATH }) });
      const rate = (base: string) => () => requestRate({ ...load(base), connections: CONNECTIONS });
      const time = (base: string) => () => medianLatency(load(base));
      const samples = await inTurns(rounds, {
        rate: rate(oracle),
        goRate: rate(reference.url),
        time: time(oracle),
        goTime: time(reference.url),
      });
      const beside = "Go's grpc-gateway";
      return [
        rowOf({
          what: "token parameters",
          unit: "requests/s",
          scale: "rate",
          samples: samples.rate,
          baseline: { name: beside, samples: samples.goRate },
        }),
        rowOf({
          what: "token parameters, one at a time",
          unit: "ms",
          scale: "time",
          samples: samples.time,
          baseline: { name: beside, samples: samples.goTime },
        }),
      ];
    };
    try {
      return await overNode(bench, goRows);
    } finally {
      reference.kill();
    }
  },
};
