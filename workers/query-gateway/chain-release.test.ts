/**
 * The built-in descriptor set compared with the chain's own release: the SDK with liquid staking, packet forwarding and
 * interchain queries. The node's bytes are written by field number here, so that the set does not check itself.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entitiesInNode } from "../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge, type GatewayEdge } from "../../test/support/query-gateway/gateway-edge.ts";
import { ixoImage } from "../../test/support/query-gateway/gateway-fixture.ts";
import { startGrpcWebNode, type GrpcWebNode } from "../../test/support/query-gateway/grpc-web-node.ts";
import { loadSchema } from "./descriptors/schema.ts";
import { createMessageWriter } from "./json/message-writer.ts";
import { errorBody } from "./serve/rpc-status.ts";

const image = ixoImage();
const schema = loadSchema(image);
const utf8 = (text: string) => new TextEncoder().encode(text);
const HEIGHT_HEADER = "x-cosmos-block-height";
const HEAD = "1000";

/** A message with these fields: a text, another message, a flag or number. */
function bytes(...fields: readonly (readonly [number, string | number | Uint8Array])[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [no, value] of fields) {
    if (typeof value === "number") writer.tag(no, WireType.Varint).uint64(value);
    else writer.tag(no, WireType.LengthDelimited).bytes(typeof value === "string" ? utf8(value) : value);
  }
  return writer.finish();
}

let answer: Uint8Array = bytes();
let node: GrpcWebNode;
beforeAll(async () => {
  node = await startGrpcWebNode(schema, ({ headers }, context, output) => {
    context.responseHeader.set(HEIGHT_HEADER, headers.get(HEIGHT_HEADER) ?? HEAD);
    return fromBinary(output, answer);
  });
  const nodes = [{ kind: "grpc-web", url: node.url }];
  edge = gatewayEdge({ image, source: entitiesInNode(), deployment: { chainId: "release-1", nodes } });
});
afterAll(() => node.close());

let edge: GatewayEdge;

const E18 = "000000000000000000";
const key = toBinary(
  AnySchema,
  create(AnySchema, { typeUrl: "/cosmos.crypto.ed25519.PubKey", value: bytes([1, Uint8Array.of(1, 2)]) }),
);
const rates = bytes([1, `1${"0".repeat(17)}`], [2, `2${"0".repeat(17)}`], [3, `1${"0".repeat(16)}`]);
const validator = bytes(
  [1, "ixovaloper1a"],
  [2, key],
  [4, 3],
  [5, "5"],
  [6, `5${E18}`],
  [7, bytes([1, "A"])],
  [9, bytes()],
  [10, bytes([1, rates], [2, bytes()])],
  [11, "1"],
  [14, `3${E18}`],
  [15, `25${"0".repeat(17)}`],
);
const printedValidator =
  '{"operator_address":"ixovaloper1a","consensus_pubkey":{"@type":"/cosmos.crypto.ed25519.PubKey","key":"AQI="},' +
  '"jailed":false,"status":"BOND_STATUS_BONDED","tokens":"5","delegator_shares":"5.000000000000000000",' +
  '"description":{"moniker":"A","identity":"","website":"","security_contact":"","details":""},' +
  '"unbonding_height":"0","unbonding_time":"1970-01-01T00:00:00Z","commission":{"commission_rates":' +
  '{"rate":"0.100000000000000000","max_rate":"0.200000000000000000","max_change_rate":"0.010000000000000000"},' +
  '"update_time":"1970-01-01T00:00:00Z"},"min_self_delegation":"1","unbonding_on_hold_ref_count":"0","unbonding_ids":[],' +
  '"validator_bond_shares":"3.000000000000000000","liquid_shares":"2.500000000000000000"}';

const record = bytes([1, 7], [2, "ixo1a"], [3, "tokenizeshare_7"], [4, "ixovaloper1a"]);
const printedRecord = '{"id":"7","owner":"ixo1a","module_account":"tokenizeshare_7","validator":"ixovaloper1a"}';

const staking = "/cosmos/staking/v1beta1";
test.each([
  [
    "a validator",
    `${staking}/validators`,
    bytes([1, validator]),
    `{"validators":[${printedValidator}],"pagination":null}`,
  ],
  [
    "a delegation",
    `${staking}/validators/ixovaloper1a/delegations/ixo1a`,
    bytes([
      1,
      bytes([1, bytes([1, "ixo1a"], [2, "ixovaloper1a"], [3, `5${E18}`], [4, 1])], [2, bytes([1, "uixo"], [2, "5"])]),
    ]),
    '{"delegation_response":{"delegation":{"delegator_address":"ixo1a","validator_address":"ixovaloper1a",' +
      '"shares":"5.000000000000000000","validator_bond":true},"balance":{"denom":"uixo","amount":"5"}}}',
  ],
  [
    "the staking parameters",
    `${staking}/params`,
    bytes([
      1,
      bytes(
        [1, bytes([1, 1814400])],
        [2, 50],
        [3, 7],
        [4, 10000],
        [5, "uixo"],
        [6, "0"],
        [7, `-1${E18}`],
        [8, `1${"0".repeat(17)}`],
        [9, `5${"0".repeat(17)}`],
      ),
    ]),
    '{"params":{"unbonding_time":"1814400s","max_validators":50,"max_entries":7,"historical_entries":10000,' +
      '"bond_denom":"uixo","min_commission_rate":"0.000000000000000000","validator_bond_factor":"-1.000000000000000000",' +
      '"global_liquid_staking_cap":"0.100000000000000000","validator_liquid_staking_cap":"0.500000000000000000"}}',
  ],
  [
    "a record of tokenized shares",
    `${staking}/tokenize_share_record_by_id/7`,
    bytes([1, record]),
    `{"record":${printedRecord}}`,
  ],
  [
    "a record by its denomination",
    `${staking}/tokenize_share_record_by_denom/ixovaloper1a%2F7`,
    bytes([1, record]),
    `{"record":${printedRecord}}`,
  ],
  [
    "the records of an owner",
    `${staking}/tokenize_share_record_owned/ixo1a`,
    bytes([1, record]),
    `{"records":[${printedRecord}]}`,
  ],
  [
    "all records",
    `${staking}/tokenize_share_records?pagination.limit=1`,
    bytes([1, record], [2, bytes([2, 3])]),
    `{"records":[${printedRecord}],"pagination":{"next_key":null,"total":"3"}}`,
  ],
  ["the id of the last record", `${staking}/last_tokenize_share_record_id`, bytes([1, 7]), '{"id":"7"}'],
  [
    "the total of tokenized shares",
    `${staking}/total_tokenize_shared_assets`,
    bytes([1, bytes([1, "uixo"], [2, "9"])]),
    '{"value":{"denom":"uixo","amount":"9"}}',
  ],
  ["the total of liquid stake", `${staking}/total_liquid_staked`, bytes([1, "9"]), '{"tokens":"9"}'],
  [
    "an account's lock",
    `${staking}/tokenize_share_lock_info/ixo1a`,
    bytes([1, "TOKENIZE_SHARE_LOCK_STATUS_UNLOCKED"]),
    '{"status":"TOKENIZE_SHARE_LOCK_STATUS_UNLOCKED","expiration_time":""}',
  ],
  [
    "rewards of tokenized shares",
    "/cosmos/distribution/v1beta1/ixo1a/tokenize_share_record_rewards",
    bytes([1, bytes([1, 7], [2, bytes([1, "uixo"], [2, `15${"0".repeat(17)}`])])]),
    '{"rewards":[{"record_id":"7","reward":[{"denom":"uixo","amount":"1.500000000000000000"}]}],"total":[]}',
  ],
  [
    "the parameters of packet forwarding",
    "/ibc/apps/packetforward/v1/params",
    bytes([1, bytes([1, "0"])]),
    '{"params":{"fee_percentage":"0.000000000000000000"}}',
  ],
  [
    "the parameters of interchain queries",
    "/async-icq/v1/params",
    bytes([1, bytes([2, 1], [3, "/cosmos.bank.v1beta1.Query/Balance"])]),
    '{"params":{"host_enabled":true,"allow_queries":["/cosmos.bank.v1beta1.Query/Balance"]}}',
  ],
])(
  "%s is printed like the chain's own node prints it, and is final at an old height [QG-137]",
  async (_, path, wire, json) => {
    answer = wire;
    // A request at the latest height makes the head of the chain known.
    expect(await edge.ask(path)).toMatchObject({ status: 200, text: json });
    const old = await edge.ask(path, { headers: { [HEIGHT_HEADER]: "5" } });
    expect([old.text, old.headers.get("Cache-Control")]).toEqual([json, "public, max-age=31536000, immutable"]);
    expect(edge.log.filter((line) => line.includes("fields-unknown"))).toEqual([]);
  },
);

test.each([
  [
    "cosmos.staking.v1beta1.MsgTokenizeShares",
    bytes([1, "ixo1a"], [2, "ixovaloper1a"], [3, bytes([1, "uixo"], [2, "5"])], [4, "ixo1b"]),
    '"delegator_address":"ixo1a","validator_address":"ixovaloper1a","amount":{"denom":"uixo","amount":"5"},' +
      '"tokenized_share_owner":"ixo1b"',
  ],
  [
    "cosmos.staking.v1beta1.MsgRedeemTokensForShares",
    bytes([1, "ixo1a"], [2, bytes([1, "v/7"], [2, "5"])]),
    '"delegator_address":"ixo1a","amount":{"denom":"v/7","amount":"5"}',
  ],
  [
    "cosmos.staking.v1beta1.MsgTransferTokenizeShareRecord",
    bytes([1, 7], [2, "ixo1a"], [3, "ixo1b"]),
    '"tokenize_share_record_id":"7","sender":"ixo1a","new_owner":"ixo1b"',
  ],
  ["cosmos.staking.v1beta1.MsgDisableTokenizeShares", bytes([1, "ixo1a"]), '"delegator_address":"ixo1a"'],
  ["cosmos.staking.v1beta1.MsgEnableTokenizeShares", bytes([1, "ixo1a"]), '"delegator_address":"ixo1a"'],
  [
    "cosmos.staking.v1beta1.MsgValidatorBond",
    bytes([1, "ixo1a"], [2, "ixovaloper1a"]),
    '"delegator_address":"ixo1a","validator_address":"ixovaloper1a"',
  ],
  ["cosmos.staking.v1beta1.MsgUnbondValidator", bytes([1, "ixovaloper1a"]), '"validator_address":"ixovaloper1a"'],
  [
    "cosmos.distribution.v1beta1.MsgWithdrawTokenizeShareRecordReward",
    bytes([1, "ixo1a"], [2, 7]),
    '"owner_address":"ixo1a","record_id":"7"',
  ],
  [
    "cosmos.distribution.v1beta1.MsgWithdrawAllTokenizeShareRecordReward",
    bytes([1, "ixo1a"]),
    '"owner_address":"ixo1a"',
  ],
])("%s in a transaction is JSON [QG-137]", async (name, wire, members) => {
  const any = bytes([1, `/${name}`], [2, wire]);
  answer = bytes([1, bytes([1, bytes([1, any])])]);
  expect((await edge.ask("/cosmos/tx/v1beta1/txs/AB")).text).toContain(`{"@type":"/${name}",${members}}`);
});

/** Each error detail that Google's APIs define, with one field of it. */
test.each([
  ["ErrorInfo", bytes([1, "R"]), '"reason":"R","domain":"","metadata":{}'],
  ["RetryInfo", bytes([1, bytes([1, 3])]), '"retry_delay":"3s"'],
  ["DebugInfo", bytes([2, "D"]), '"stack_entries":[],"detail":"D"'],
  ["PreconditionFailure", bytes([1, bytes([1, "T"])]), '"violations":[{"type":"T","subject":"","description":""}]'],
  [
    "BadRequest",
    bytes([1, bytes([1, "id"])]),
    '"field_violations":[{"field":"id","description":"","reason":"","localized_message":null}]',
  ],
  [
    "QuotaFailure",
    bytes([1, bytes([1, "S"])]),
    '"violations":[{"subject":"S","description":"","api_service":"","quota_metric":"","quota_id":"",' +
      '"quota_dimensions":{},"quota_value":"0","future_quota_value":null}]',
  ],
  ["RequestInfo", bytes([1, "R"]), '"request_id":"R","serving_data":""'],
  ["ResourceInfo", bytes([2, "N"]), '"resource_type":"","resource_name":"N","owner":"","description":""'],
  ["Help", bytes([1, bytes([2, "U"])]), '"links":[{"description":"","url":"U"}]'],
  ["LocalizedMessage", bytes([2, "M"]), '"locale":"","message":"M"'],
])("google.rpc.%s is in the descriptor set, so an error's detail is JSON [QG-138]", (name, wire, members) => {
  const type = schema.registry.getMessage(`google.rpc.${name}`);
  if (type === undefined) throw new Error(`the image has no ${name}`);
  const detail = { kind: "any" as const, typeUrl: `type.googleapis.com/google.rpc.${name}`, value: wire };
  const writer = { registry: schema.registry, writer: createMessageWriter({ registry: schema.registry }) };
  expect(errorBody({ code: 3, message: "m", details: [detail] }, writer)).toBe(
    `{"code":3,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.${name}",${members}}]}`,
  );
});
