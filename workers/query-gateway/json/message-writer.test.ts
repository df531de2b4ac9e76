/** Vectors 63 to 79 of docs/reference/query-gateway.md, and its further rules on JSON. */
import { create, fromBinary, fromJson, toBinary, type JsonValue, type Message } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { loadSchema } from "../descriptors/schema.ts";
import { createMessageWriter } from "./message-writer.ts";
import { ANY_DEPTH_MAX } from "./well-known.ts";
import type { WriterSettings } from "./writing.ts";

type Init = Record<string, unknown>;

const ixo = loadSchema(ixoImage()).registry;
const fixture = loadSchema(fixtureImage()).registry;

function typeOf(name: string) {
  const type = ixo.getMessage(name) ?? fixture.getMessage(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

/** The text of a message with this type name and with the fields of `create`. */
function written(name: string, init: Init = {}, settings: Partial<WriterSettings> = {}): string {
  const type = typeOf(name);
  const registry = ixo.getMessage(name) ? ixo : fixture;
  const writer = createMessageWriter({ registry, ...settings });
  const result = writer.write(type, create(type, init));
  if (!result.ok) throw new Error(result.error.message);
  return result.value.text;
}

const all = (init: Init): string => written("gwtest.v1.All", init);
const rare = (init: Init): string => written("gwtest.v1.Rare", init);
const PAGE = "cosmos.base.query.v1beta1.PageResponse";
const COIN = "cosmos.base.v1beta1.Coin";
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

test("V63: response_body [QG-57]", () => {
  const type = typeOf("gwtest.v1.All");
  const writer = createMessageWriter({ registry: fixture });
  const { sub, oa, rs } = type.field;
  if (!sub || !oa || !rs) throw new Error("the fixture has other fields");
  const text = (field: typeof sub, init: Init): string | undefined => {
    const result = writer.writeField(field, create(type, init));
    return result.ok ? result.value.text : undefined;
  };
  expect(text(sub, {})).toBe("null");
  expect(text(sub, { sub: { a: "q" } })).toBe('{"a":"q","sub":null}');
  expect(text(rs, { rs: ["a"] })).toBe('["a"]');
  expect(text(oa, {})).toBe("null");
  expect(text(oa, { o: { case: "oa", value: "" } })).toBe('""');
});

test("V64: token Params [QG-2]", () => {
  expect(written("ixo.token.v1beta1.QueryParamsResponse", { params: { ixo1155ContractCode: 25n } })).toBe(
    '{"params":{"ixo1155_contract_code":"25"}}',
  );
});

test("V65: an entity with only id and type on the wire [QG-43, QG-44]", () => {
  const text = written("ixo.entity.v1beta1.QueryEntityResponse", { entity: { id: "a", type: "asset" } });
  expect(text).toBe(
    '{"entity":{"id":"a","type":"asset","start_date":null,"end_date":null,"status":0,"relayer_node":"","credentials":[],"entity_verified":false,"metadata":null,"accounts":[]},"iidDocument":{"context":[],"id":"","controller":[],"verificationMethod":[],"service":[],"authentication":[],"assertionMethod":[],"keyAgreement":[],"capabilityInvocation":[],"capabilityDelegation":[],"linkedResource":[],"linkedClaim":[],"accordedRight":[],"linkedEntity":[],"alsoKnownAs":"","metadata":null}}',
  );
});

test("V66: PageResponse [QG-48, QG-59]", () => {
  expect(written(PAGE)).toBe('{"next_key":null,"total":"0"}');
  expect(written(PAGE, { nextKey: Uint8Array.of(1, 2, 0x3e, 0xff), total: 3n })).toBe(
    '{"next_key":"AQI+/w==","total":"3"}',
  );
});

test("V67: a list without pagination on the wire [QG-44, QG-59]", () => {
  expect(written("ixo.entity.v1beta1.QueryEntityListResponse")).toBe('{"entities":[],"pagination":null}');
});

const decimals = [
  ["100000000000000000", "0.100000000000000000"],
  ["0", "0.000000000000000000"],
  ["", "0.000000000000000000"],
  ["-1", "-0.000000000000000001"],
  ["-2500000000000000000", "-2.500000000000000000"],
  ["12345678901234567890123", "12345.678901234567890123"],
] as const;

test.each(decimals)("V68: LegacyDec %j [QG-50]", (wire, expected) => {
  const text = written("ixo.bonds.v1beta1.FunctionParam", { param: "m", value: wire });
  expect(text).toBe(`{"param":"m","value":"${expected}"}`);
});

test.each(decimals)("V69: types.Dec of the Cosmos packages %j [QG-50]", (wire, expected) => {
  const text = written("cosmos.base.v1beta1.DecCoin", { denom: "m", amount: wire });
  expect(text).toBe(`{"denom":"m","amount":"${expected}"}`);
  // Stored in bytes, and under the whole path.
  const inBytes = written("cosmos.mint.v1beta1.QueryInflationResponse", { inflation: utf8(wire) });
  expect(inBytes).toBe(`{"inflation":"${expected}"}`);
});

test("V70: a decimal point without customtype stays [QG-50]", () => {
  expect(written("cosmos.gov.v1.TallyParams", { quorum: "0.334" })).toContain('{"quorum":"0.334",');
});

test("V71: Coin [QG-44, QG-50]", () => {
  expect(written(COIN, { denom: "uixo", amount: "5" })).toBe('{"denom":"uixo","amount":"5"}');
  expect(written(COIN, { denom: "uixo" })).toBe('{"denom":"uixo","amount":"0"}');
});

test("V72: a set oneof, and an unset one [QG-45]", () => {
  const method = { id: "k", type: "t", controller: "c" };
  const name = "ixo.iid.v1beta1.VerificationMethod";
  expect(written(name, { ...method, verificationMaterial: { case: "publicKeyHex", value: "ab" } })).toBe(
    '{"id":"k","type":"t","controller":"c","publicKeyHex":"ab"}',
  );
  expect(written(name, method)).toBe('{"id":"k","type":"t","controller":"c"}');
  expect(all({ o: { case: "oa", value: "" } })).toContain('"m":{},"oa":"","camelCase":""');
});

test("V73: enums [QG-47]", () => {
  const status = (number: number): string => written("ixo.claims.v1beta1.Evaluation", { status: number });
  expect(status(1)).toContain('"status":"APPROVED"');
  expect(status(99)).toContain('"status":99');
  expect(status(0)).toContain('"status":"PENDING"');
});

test.each([
  [0, "05Z"],
  [500_000_000, "05.500Z"],
  [1000, "05.000001Z"],
  [1, "05.000000001Z"],
])("V74: Timestamp with %j ns [QG-51]", (nanos, end) => {
  expect(all({ ts: { seconds: 1_767_323_045n, nanos } })).toContain(`"ts":"2026-01-02T03:04:${end}"`);
});

test.each([
  [3600n, 0, "3600s"],
  [1n, 500_000_000, "1.500s"],
  [0n, -500_000_000, "-0.500s"],
])("V75: Duration of %s s and %s ns [QG-51]", (seconds, nanos, text) => {
  expect(all({ du: { seconds, nanos } })).toContain(`"du":"${text}"`);
});

describe("V76: Any [QG-52]", () => {
  const any = (typeUrl: string, value: Uint8Array, settings: Partial<WriterSettings> = {}): string =>
    written("cosmos.auth.v1beta1.QueryAccountResponse", { account: { typeUrl, value } }, settings);
  const account = typeOf("cosmos.auth.v1beta1.BaseAccount");

  test("of a known type: @type first, then its members", () => {
    const bytes = toBinary(account, create(account, { address: "ixo1a", sequence: 7n }));
    expect(any("/cosmos.auth.v1beta1.BaseAccount", bytes)).toBe(
      '{"account":{"@type":"/cosmos.auth.v1beta1.BaseAccount","address":"ixo1a","pub_key":null,"account_number":"0","sequence":"7"}}',
    );
  });

  test("of an unknown type, or with bytes that are not of its type", () => {
    const bytes = Uint8Array.of(1, 2);
    expect(any("/x.Y", bytes)).toBe('{"account":{"@type":"/x.Y","value":"AQI="}}');
    expect(any("/cosmos.auth.v1beta1.BaseAccount", Uint8Array.of(0x0a, 9))).toContain('"value":"Cgk="');
    expect(() => any("/x.Y", bytes, { unknownAny: "error" })).toThrow("The type of this name is unknown: /x.Y");
  });

  test("of a type with a special JSON form, and of one without members", () => {
    const duration = typeOf("google.protobuf.Duration");
    expect(any("/google.protobuf.Duration", toBinary(duration, create(duration, { seconds: 3n })))).toBe(
      '{"account":{"@type":"/google.protobuf.Duration","value":"3s"}}',
    );
    expect(any("/ixo.token.v1beta1.QueryParamsRequest", new Uint8Array())).toBe(
      '{"account":{"@type":"/ixo.token.v1beta1.QueryParamsRequest"}}',
    );
    expect(any("", new Uint8Array())).toBe('{"account":{}}');
  });

  test("in Any: down to the limit, and beyond it as bytes", () => {
    const type = typeOf("google.protobuf.Any");
    let message: Message = create(type, { typeUrl: "/ixo.token.v1beta1.QueryParamsRequest" });
    for (let depth = 1; depth < ANY_DEPTH_MAX; depth += 1)
      message = create(type, { typeUrl: "/google.protobuf.Any", value: toBinary(type, message) });
    const innermost = '{"@type":"/ixo.token.v1beta1.QueryParamsRequest"}';
    expect(written("google.protobuf.Any", { ...message })).toContain(`:${innermost}}`);
    const deeper: Init = { typeUrl: "/google.protobuf.Any", value: toBinary(type, message) };
    expect(written("google.protobuf.Any", deeper)).toContain(`:${innermost.slice(0, -1)},"value":""}}`);
  });
});

test("V77: text [QG-53]", () => {
  expect(all({ id: "<a>&b" })).toContain(String.raw`{"id":"\u003ca\u003e\u0026b",`);
});

test("V78: bytes whose Go type prints itself [QG-49]", () => {
  const info = written("cosmwasm.wasm.v1.CodeInfoResponse", { dataHash: Uint8Array.of(0xab, 1) });
  expect(info).toContain('"data_hash":"AB01"');
  const state = (data: string): string =>
    written("cosmwasm.wasm.v1.QuerySmartContractStateResponse", { data: utf8(data) });
  expect(state('{"a":1}')).toBe('{"data":{"a":1}}');
  expect(state("{bad")).toBe('{"data":"e2JhZA=="}');
  expect(state("")).toBe('{"data":null}');
});

test("V79: numbers [QG-46]", () => {
  expect(all({ i64: -1n, u32: 1, d: Infinity })).toContain('"i64":"-1","u32":1,"u64":"0","f":0,"d":"Infinity"');
});

test("an absent value of Go: its zero, with all its members [QG-44]", () => {
  expect(written("ixo.epochs.v1beta1.EpochInfo")).toBe(
    '{"identifier":"","start_time":"0001-01-01T00:00:00Z","duration":"0s","current_epoch":"0","current_epoch_start_time":"0001-01-01T00:00:00Z","epoch_counting_started":false,"current_epoch_start_height":"0"}',
  );
  expect(written("ixo.mint.v1beta1.QueryParamsResponse")).toContain(
    '"distribution_proportions":{"staking":"0.000000000000000000","impact_rewards":"0.000000000000000000",',
  );
});

test("an absent pointer of Go to a number: null", () => {
  const edit = written("cosmos.staking.v1beta1.MsgEditValidator");
  expect(edit).toContain('"commission_rate":null,"min_self_delegation":null');
});

test("optional fields, wrappers, elements of lists, keys of maps [QG-54]", () => {
  expect(rare({})).toContain('"maybe":null,"res":[],"rby":[],"mie":{}');
  expect(rare({ maybe: "" })).toContain('"maybe":""');
  expect(rare({ rby: [new Uint8Array()] })).toContain('"rby":[""]');
  expect(rare({ mie: { 10: 1, 9: 0, "-2": 7 }, mbb: { true: false, false: true } })).toContain(
    '"mie":{"-2":7,"9":"RED","10":"BLUE"},"mbb":{"false":true,"true":false}',
  );
  expect(all({ m: { "\u{1F600}": "c", "\uffff": "b", a: "a" } })).toContain(
    '"m":{"a":"a","\uffff":"b","\u{1F600}":"c"}',
  );
  expect(rare({ iv: 5n, sv: "", byv: new Uint8Array() })).toContain('"iv":"5","uv":null,"dv":null,"sv":"","byv":""');
  expect(rare({ pick: { case: "middle", value: { value: "x" } } })).toContain('"middle":"x"');
  expect(rare({ st: { b: [null, "<"], a: { x: 1 } } })).toContain(String.raw`"st":{"a":{"x":1},"b":[null,"\u003c"]}`);
  expect(all({ fm: { paths: ["a_b", "c.d_e"] } })).toContain('"fm":"aB,c.dE"');
  const value: JsonValue = { b: [1, null, { c: true }], a: "x" };
  expect(rare({ va: fromJson(typeOf("google.protobuf.Value"), value) })).toContain(
    '"va":{"a":"x","b":[1,null,{"c":true}]}',
  );
});

test("members are in the order of declaration, whatever their numbers [QG-43]", () => {
  const { fields } = typeOf("cosmos.base.tendermint.v1beta1.GetLatestBlockResponse");
  expect(fields.length).toBeGreaterThan(1);
  const text = written("cosmos.base.tendermint.v1beta1.GetLatestBlockResponse");
  expect(Object.keys(JSON.parse(text))).toEqual(fields.map(({ name }) => name));
});

test("fields of a newer chain are counted, not printed [QG-55]", () => {
  const type = typeOf(COIN);
  const newer = fromBinary(type, Uint8Array.of(0x0a, 1, 0x61, 0x78, 5, 0x78, 6));
  expect(createMessageWriter({ registry: ixo }).write(type, newer)).toEqual({
    ok: true,
    value: { text: '{"denom":"a","amount":"0"}', unknownFields: 2 },
  });
});

test("a time that cannot be printed fails the document, but not the next one", () => {
  const type = typeOf("gwtest.v1.All");
  const writer = createMessageWriter({ registry: fixture });
  const broken = writer.write(type, create(type, { ts: { seconds: 0n, nanos: -1 } }));
  expect(broken).toMatchObject({ ok: false, error: { code: "internal" } });
  expect(writer.write(type, create(type))).toMatchObject({ ok: true });
});
