/** What a node says, on the wire and behind the gateway, byte for byte. */
import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, base64Encode, WireType } from "@bufbuild/protobuf/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/gateway-edge.ts";
import { ixoImage } from "../../../test/support/gateway-fixture.ts";
import {
  answer,
  frame,
  grpcWeb,
  silence,
  startMisbehavingNode,
  trailers,
  trailersOnly,
  type MisbehavingNode,
} from "../../../test/support/misbehaving-node.ts";
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

/** A message of the image as its bytes. */
function bytesOf(name: string, fields: Record<string, unknown>): Uint8Array {
  const type = registry.getMessage(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return toBinary(type, create(type, fields));
}

const ok = trailers({ "grpc-status": "0" });
const whole = (name: string, fields: Record<string, unknown>) => grpcWeb(frame(0, bytesOf(name, fields)), ok);

test("65: an entity with only id and type on the wire", async () => {
  node.behaviour = whole("ixo.entity.v1beta1.QueryEntityResponse", { entity: { id: "a", type: "asset" } });
  const { status, text } = await edge().ask("/ixo/entity/a");
  expect([status, text]).toEqual([
    200,
    '{"entity":{"id":"a","type":"asset","start_date":null,"end_date":null,"status":0,"relayer_node":"","credentials":[],"entity_verified":false,"metadata":null,"accounts":[]},"iidDocument":{"context":[],"id":"","controller":[],"verificationMethod":[],"service":[],"authentication":[],"assertionMethod":[],"keyAgreement":[],"capabilityInvocation":[],"capabilityDelegation":[],"linkedResource":[],"linkedClaim":[],"accordedRight":[],"linkedEntity":[],"alsoKnownAs":"","metadata":null}}',
  ]);
});

test("66, 67: a list with its last page, and one without pagination", async () => {
  const list = "ixo.entity.v1beta1.QueryEntityListResponse";
  node.behaviour = whole(list, { pagination: { total: 3n } });
  expect((await edge().ask("/ixo/entity")).text).toBe('{"entities":[],"pagination":{"next_key":null,"total":"3"}}');
  node.behaviour = whole(list, {});
  expect((await edge().ask("/ixo/entity")).text).toBe('{"entities":[],"pagination":null}');
});

/** A google.rpc.Status as `grpc-status-details-bin` has it: code (1), message (2), details (3), each an Any. */
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
])("an error's details are Any, as they came: %s", async (_, behaviour) => {
  node.behaviour = behaviour;
  const { status, text } = await edge().ask("/ixo/token/params");
  expect([status, text]).toEqual([404, printed]);
});

test("80: a status and its height, under both names", async () => {
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

test("83: a claim that is not there, as the node says it and with notFoundCodes", async () => {
  const message = "codespace claims code 1100: claim not found";
  node.behaviour = trailersOnly({ "grpc-status": "2", "grpc-message": message });
  const body = `{"code":2,"message":"${message}","details":[]}`;
  const plain = await edge().ask("/ixo/claims/claim/1");
  expect([plain.status, plain.text]).toEqual([500, body]);
  const friendly = await edge({ json: { notFoundCodes: true } }).ask("/ixo/claims/claim/1");
  expect([friendly.status, friendly.text]).toEqual([404, body]);
});

/** Of code 1, 2 and so on, then of 17. */
const statuses = [408, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401, 500];
test.each(statuses.map((status, index) => [index + 1, status]))("84: code %i is %i", async (code, expected) => {
  node.behaviour = trailersOnly({ "grpc-status": String(code), "grpc-message": "said" });
  const { status, text } = await edge().ask("/ixo/token/params");
  expect([status, text]).toEqual([expected, `{"code":${code},"message":"said","details":[]}`]);
});

test.each([
  ["HTML", answer(200, { "Content-Type": "text/html" }, "<html>")],
  ["a balancer's 404", answer(404, { "Content-Type": "text/html" }, "<html>")],
  ["a redirect", answer(301, { Location: "/elsewhere" })],
  ["a cut frame", grpcWeb(frame(0, coin).subarray(0, 7))],
  ["status 0 without a message", grpcWeb(ok)],
])("85: %s is 502 code 14, and nothing of it comes through", async (_, behaviour) => {
  node.behaviour = behaviour;
  const { status, body, text } = await edge().ask("/ixo/token/params");
  expect([status, body.code, body.details]).toEqual([502, 14, []]);
  expect(text).not.toContain("html");
});
