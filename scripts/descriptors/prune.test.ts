import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldOptionsSchema,
  MethodOptionsSchema,
  FileDescriptorSetSchema,
  type FileDescriptorProtoSchema,
  type FileDescriptorSet,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { pruneDescriptors } from "./prune.ts";

type File = MessageInitShape<typeof FileDescriptorProtoSchema>;

const HTTP = 1001;
const NULLABLE = 1002;
const OTHER = 1003;
/** Options as the compiler leaves them: bytes that no descriptor of protobuf itself knows. */
const options = <Schema extends typeof FieldOptionsSchema | typeof MethodOptionsSchema>(
  schema: Schema,
  numbers: readonly number[],
) => {
  const message = create(schema);
  message.$unknown = numbers.map((no) => ({ no, wireType: 0, data: new BinaryWriter().uint32(1).finish() }));
  return message;
};
const option = (name: string, number: number, extendee: string) => ({
  name,
  number,
  extendee,
  label: FieldDescriptorProto_Label.OPTIONAL,
  type: FieldDescriptorProto_Type.BOOL,
});
const field = (typeName: string, numbers: number[] = []) => ({
  name: "f",
  number: 1,
  typeName,
  type: FieldDescriptorProto_Type.MESSAGE,
  label: FieldDescriptorProto_Label.OPTIONAL,
  options: options(FieldOptionsSchema, numbers),
});
const method = (name: string, ...numbers: number[]) => ({
  name,
  inputType: ".m.Request",
  outputType: ".m.Answer",
  options: options(MethodOptionsSchema, numbers),
});

const files: readonly File[] = [
  {
    name: "google/protobuf/descriptor.proto",
    package: "google.protobuf",
    messageType: [{ name: "MethodOptions" }, { name: "FieldOptions" }],
  },
  {
    name: "google/api/annotations.proto",
    package: "google.api",
    dependency: ["google/protobuf/descriptor.proto"],
    extension: [option("http", HTTP, ".google.protobuf.MethodOptions")],
  },
  {
    name: "gogoproto/gogo.proto",
    package: "gogoproto",
    dependency: ["google/protobuf/descriptor.proto"],
    extension: [
      option("nullable", NULLABLE, ".google.protobuf.FieldOptions"),
      option("moretags", OTHER, ".google.protobuf.FieldOptions"),
    ],
  },
  { name: "tendermint/types/types.proto", package: "t", messageType: [{ name: "Block" }] },
  { name: "tendermint/p2p/types.proto", package: "p", messageType: [{ name: "Peer" }] },
  { name: "m/v1/genesis.proto", package: "g", messageType: [{ name: "GenesisState" }] },
  { name: "m/v1/event.proto", package: "e", messageType: [{ name: "Held", nestedType: [{ name: "Inner" }] }] },
  {
    name: "m/v1/tx.proto",
    package: "tx",
    messageType: [{ name: "MsgSend" }],
    service: [{ name: "Msg", method: [method("Send")] }],
    dependency: ["m/v1/query.proto"],
  },
  {
    name: "m/v1/query.proto",
    package: "m",
    options: { goPackage: "example.org/m" },
    dependency: [
      "tendermint/types/types.proto",
      "google/api/annotations.proto",
      "gogoproto/gogo.proto",
      "m/v1/event.proto",
      "m/v1/genesis.proto",
    ],
    messageType: [
      { name: "Request" },
      { name: "Answer", field: [field(".t.Block", [NULLABLE, OTHER]), field(".e.Held.Inner")] },
    ],
    service: [{ name: "Query", method: [method("Get", HTTP), method("Hidden", OTHER)] }],
  },
];

/** Encoded and decoded, as it comes from the compiler, so that nothing is shared. */
function compiled(list = files): FileDescriptorSet {
  const set = create(FileDescriptorSetSchema, { file: [...list] });
  return fromBinary(FileDescriptorSetSchema, toBinary(FileDescriptorSetSchema, set));
}

const pruned = pruneDescriptors(compiled());
const fileOf = (name: string) => pruned.file.find((file) => file.name === name);

test("keeps files with routes, files that they reach, and files whose types may be in an Any", () => {
  expect(pruned.file.map(({ name }) => name)).toEqual([
    "google/protobuf/descriptor.proto",
    "google/api/annotations.proto",
    "gogoproto/gogo.proto",
    "tendermint/types/types.proto",
    // A file of events that an answer reaches, by a nested type.
    "m/v1/event.proto",
    "m/v1/tx.proto",
    "m/v1/query.proto",
  ]);
});

test("removes methods without a route, and services without methods", () => {
  expect(fileOf("m/v1/query.proto")?.service.map(({ method }) => method.map(({ name }) => name))).toEqual([["Get"]]);
  expect(fileOf("m/v1/tx.proto")?.service).toEqual([]);
  expect(fileOf("m/v1/tx.proto")?.messageType.map(({ name }) => name)).toEqual(["MsgSend"]);
});

test("removes options that are not read, with their declarations and the imports for them", () => {
  const answer = fileOf("m/v1/query.proto");
  expect(answer?.options).toBeUndefined();
  expect(answer?.messageType[1]?.field[0]?.options?.$unknown?.map(({ no }) => no)).toEqual([NULLABLE]);
  expect(answer?.dependency).not.toContain("m/v1/genesis.proto");
  expect(fileOf("gogoproto/gogo.proto")?.extension.map(({ name }) => name)).toEqual(["nullable"]);
  expect(fileOf("m/v1/tx.proto")?.dependency).toEqual([]);
});

test("keeps comments above messages and fields, without those of other declarations", () => {
  const location = [
    { path: [4, 0], leadingComments: " A message.\n", span: [1, 2, 3], trailingComments: " x\n" },
    { path: [4, 0, 2, 0], leadingComments: " A field.\n" },
    { path: [4, 1], leadingComments: "" },
    { path: [6, 0, 2, 1], leadingComments: " A method.\n" },
    { path: [12], leadingComments: " A file.\n" },
  ];
  const commented = files.map((file): File => ({ ...(file as object), sourceCodeInfo: { location } }));
  const cut = pruneDescriptors(compiled(commented));
  const comments = cut.file.map(({ name, sourceCodeInfo }) => [name, sourceCodeInfo?.location]);
  expect(Object.fromEntries(comments)).toMatchObject({
    "google/api/annotations.proto": undefined,
    "tendermint/types/types.proto": undefined,
    "m/v1/query.proto": [
      { path: [4, 0], leadingComments: " A message.\n", span: [], trailingComments: "" },
      { path: [4, 0, 2, 0], leadingComments: " A field.\n" },
    ],
  });
});

test("equal sets give equal bytes", () => {
  const bytes = (set: FileDescriptorSet) => toBinary(FileDescriptorSetSchema, pruneDescriptors(set));
  expect(bytes(compiled())).toEqual(bytes(compiled()));
  expect(bytes(compiled())).toEqual(bytes(pruneDescriptors(compiled())));
});

test("refuses what it cannot prune", () => {
  const without = compiled(files.filter(({ name }) => name !== "gogoproto/gogo.proto"));
  // Without its declaration, the option is never read, and its import is removed.
  expect(pruneDescriptors(without).file.map(({ name }) => name)).not.toContain("gogoproto/gogo.proto");
  expect(() =>
    pruneDescriptors(compiled([{ name: "a/b.proto", dependency: ["c.proto"], publicDependency: [0] }])),
  ).toThrow("imports publicly");
});
