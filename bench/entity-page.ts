/** A page of entities in a node's format, made from the descriptor set. */
import { create, fromBinary, toBinary, type DescMessage, type Message } from "@bufbuild/protobuf";

/** `type` is `ixo.entity.v1beta1.QueryEntityListResponse`. Encoded and decoded, as it comes from a node. */
export function entityPage(type: DescMessage, size: number): Message {
  const time = { seconds: 1_767_323_045n, nanos: 500_000_000 };
  const entity = (index: number): object => ({
    id: `did:ixo:entity:${index.toString(16).padStart(32, "0")}`,
    type: "asset/device",
    startDate: time,
    endDate: time,
    relayerNode: "did:ixo:entity:00000000000000000000000000000001",
    credentials: [`bafkreib${index}`],
    entityVerified: index % 2 === 0,
    metadata: { versionId: `version-${index}`, created: time, updated: time },
    accounts: [{ name: "admin", address: "ixo1qyqszqgpqyqszqgpqyqszqgpqyqszqgp5x4a2k" }],
  });
  const page = create(type, { entities: Array.from({ length: size }, (_, index) => entity(index)), pagination: {} });
  return fromBinary(type, toBinary(type, page));
}
