/** A node's responses, on the wire and through the gateway, byte for byte. */
import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, base64Encode, WireType } from "@bufbuild/protobuf/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import {
  answer,
  frame,
  grpcWeb,
  silence,
  startMisbehavingNode,
  trailers,
  trailersOnly,
  type MisbehavingNode,
} from "../../../test/support/query-gateway/misbehaving-node.ts";
import { loadSchema } from "../descriptors/schema.ts";

const image = ixoImage();
const { registry } = loadSchema(image);
let node: MisbehavingNode;

beforeAll(async () => {
  node = await startMisbehavingNode(silence);
});
afterAll(() => node.close());

function edge(deployment: object = {}) {
  const nodes = [{ kind: "grpc-web", url: node.url }];
  const settings = { nodes, upstream: { retries: 0, breaker: { failures: 1000 } }, ...deployment };
  return gatewayEdge({ image, source: entitiesInNode(), deployment: settings });
}

/** The bytes of a message of the descriptor set. */
function bytesOf(name: string, fields: Record<string, unknown>): Uint8Array {
  const type = registry.getMessage(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return toBinary(type, create(type, fields));
}

const ok = trailers({ "grpc-status": "0" });
const whole = (name: string, fields: Record<string, unknown>) => grpcWeb(frame(0, bytesOf(name, fields)), ok);

test("V65: an entity with only id and type on the wire [QG-43, QG-44]", async () => {
  node.behaviour = whole("ixo.entity.v1beta1.QueryEntityResponse", { entity: { id: "a", type: "asset" } });
  const { status, text } = await edge().ask("/ixo/entity/a");
  expect([status, text]).toEqual([
    200,
    '{"entity":{"id":"a","type":"asset","start_date":null,"end_date":null,"status":0,"relayer_node":"","credentials":[],"entity_verified":false,"metadata":null,"accounts":[]},"iidDocument":{"context":[],"id":"","controller":[],"verificationMethod":[],"service":[],"authentication":[],"assertionMethod":[],"keyAgreement":[],"capabilityInvocation":[],"capabilityDelegation":[],"linkedResource":[],"linkedClaim":[],"accordedRight":[],"linkedEntity":[],"alsoKnownAs":"","metadata":null}}',
  ]);
});

test("V66, V67: a list with its last page, and one without pagination [QG-44, QG-48, QG-59]", async () => {
  const list = "ixo.entity.v1beta1.QueryEntityListResponse";
  node.behaviour = whole(list, { pagination: { total: 3n } });
  expect((await edge().ask("/ixo/entity")).text).toBe('{"entities":[],"pagination":{"next_key":null,"total":"3"}}');
  node.behaviour = whole(list, {});
  expect((await edge().ask("/ixo/entity")).text).toBe('{"entities":[],"pagination":null}');
});

/** A google.rpc.Status in the form of `grpc-status-details-bin`: code (1), message (2), details (3), each an Any. */
function statusDetails(details: readonly { readonly typeUrl: string; readonly value: Uint8Array }[]): string {
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(5).tag(2, WireType.LengthDelimited).string("gone");
  for (const { typeUrl, value } of details) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(typeUrl).tag(2, WireType.LengthDelimited).bytes(value);
    writer.join();
  }
  return base64Encode(writer.finish());
}

const coin = bytesOf("cosmos.base.v1beta1.Coin", { denom: "uixo", amount: "5" });
const details = statusDetails([
  { typeUrl: "/cosmos.base.v1beta1.Coin", value: coin },
  { typeUrl: "type.googleapis.com/cosmos.base.v1beta1.Coin", value: new Uint8Array() },
  { typeUrl: "type.googleapis.com/google.protobuf.Duration", value: Uint8Array.of(8, 3) },
  { typeUrl: "type.googleapis.com/x.Y", value: Uint8Array.of(1, 2) },
]);
const printed =
  '{"code":5,"message":"gone","details":[{"@type":"/cosmos.base.v1beta1.Coin","denom":"uixo","amount":"5"},' +
  '{"@type":"type.googleapis.com/cosmos.base.v1beta1.Coin","denom":"","amount":"0"},' +
  '{"@type":"type.googleapis.com/google.protobuf.Duration","value":"3s"},' +
  '{"@type":"type.googleapis.com/x.Y","value":"AQI="}]}';
const failed = { "grpc-status": "5", "grpc-message": "gone", "grpc-status-details-bin": details };

test.each([
  ["in the headers", trailersOnly(failed)],
  ["in the trailers", grpcWeb(trailers(failed))],
])("an error's details are Any, unchanged: %s [QG-61]", async (_, behaviour) => {
  node.behaviour = behaviour;
  const { status, text } = await edge().ask("/ixo/token/params");
  expect([status, text]).toEqual([404, printed]);
});

test("V80: a status and its height, under both names [QG-38, QG-60, QG-71]", async () => {
  node.behaviour = trailersOnly({
    "grpc-status": "5",
    "grpc-message": "not%20found",
    "x-cosmos-block-height": "55",
  });
  const { status, text, headers } = await edge().ask("/ixo/entity/a");
  expect([status, text]).toEqual([404, '{"code":5,"message":"not found","details":[]}']);
  for (const name of ["Grpc-Metadata-X-Cosmos-Block-Height", "X-Cosmos-Block-Height"])
    expect(headers.get(name)).toBe("55");
});

test.each([
  ["/ixo/claims/claim/1", "codespace claims code 1100: claim not found", 404],
  ["/ixo/claims/claim/1", "codespace claims code 1101: other", 500],
  ["/ixo/bonds/x", "bond x does not exist", 404],
  ["/ixo/claims/claim/1", "bond x does not exist", 500],
])("V83: %s with notFoundCodes on, %j is %d [QG-67]", async (path, message, expected) => {
  node.behaviour = trailersOnly({ "grpc-status": "2", "grpc-message": message });
  const body = `{"code":2,"message":"${message}","details":[]}`;
  const plain = await edge().ask(path);
  expect([plain.status, plain.text]).toEqual([500, body]);
  const { status, text } = await edge({ json: { notFoundCodes: true } }).ask(path);
  expect([status, text]).toEqual([expected, body]);
});

/** The statuses of the codes 1, 2 and so on, then 17. */
const statuses = [408, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401, 500];
test.each(statuses.map((status, index) => [index + 1, status]))(
  "V84: code %i is %i [QG-60]",
  async (code, expected) => {
    node.behaviour = trailersOnly({ "grpc-status": String(code), "grpc-message": "said" });
    const { status, text } = await edge().ask("/ixo/token/params");
    expect([status, text]).toEqual([expected, `{"code":${code},"message":"said","details":[]}`]);
  },
);

test("V85: no page passes as a response [QG-63]", async () => {
  node.behaviour = answer(200, { "Content-Type": "text/html" }, "<html>");
  const { status, text } = await edge().ask("/ixo/token/params");
  expect([status, text]).toEqual([
    502,
    '{"code":14,"message":"Invalid response from the node: it is not gRPC-web","details":[]}',
  ]);
});
