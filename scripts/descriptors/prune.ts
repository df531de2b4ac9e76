/**
 * Prunes a compiled descriptor set to the parts that the query gateway reads: methods with a route, the types that they reach, the
 * types that may be in an Any, and the options that determine routes and output. Pure and deterministic: a set goes in, a set comes
 * out.
 */
import { create, type Message } from "@bufbuild/protobuf";
import {
  FileDescriptorSetSchema,
  SourceCodeInfoSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  type FileDescriptorSet,
  type SourceCodeInfo,
} from "@bufbuild/protobuf/wkt";

/** The only options that are read. */
const KEPT_OPTIONS: readonly string[] = [
  "google.api.http",
  "gogoproto.nullable",
  "gogoproto.customtype",
  "gogoproto.casttype",
  "gogoproto.stdtime",
  "gogoproto.stdduration",
];

/**
 * Files whose types no answer contains, not even in an Any: a node's private data (genesis, stores, keys on disk, module wiring)
 * and events. A file that another one needs is kept.
 */
const PRIVATE_TO_THE_NODE: readonly RegExp[] = [
  /\/(genesis|events?)\.proto$/,
  /^cosmos\/(app|orm|capability)\//,
  /^cosmos\/base\/(kv|snapshots|store)\//,
  /^cosmos\/crypto\/(hd|keyring)\//,
];

/** Details of an error, which a node sends in an Any: no file imports them. */
const ERROR_DETAILS = "google/rpc/error_details.proto";

/** Files of other projects, added only by their importers. */
const IMPORTED_ONLY = /^(amino|confio|cosmos_proto|gogoproto|google|tendermint)\//;

/** Where a name is defined: a message, an enum, a kept option. */
interface Definitions {
  readonly fileOfType: ReadonlyMap<string, string>;
  /** Key: the message that the option extends, a space, its number. */
  readonly fileOfOption: ReadonlyMap<string, string>;
}

export function pruneDescriptors(set: FileDescriptorSet): FileDescriptorSet {
  const definitions = definitionsOf(set);
  const files = new Map(set.file.map((file) => [file.name, pruneFile(file, definitions)]));
  const kept = new Set<string>();
  const keep = (name: string): void => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`${name} is imported and not in the set`);
    if (kept.has(name)) return;
    kept.add(name);
    for (const dependency of file.dependency) keep(dependency);
  };
  for (const file of files.values()) if (isWanted(file)) keep(file.name);
  // In the order of the input, where each file comes after its imports.
  return create(FileDescriptorSetSchema, { file: [...files.values()].filter(({ name }) => kept.has(name)) });
}

function isWanted(file: FileDescriptorProto): boolean {
  if (file.service.length > 0 || file.name === ERROR_DETAILS) return true;
  if (IMPORTED_ONLY.test(file.name) || PRIVATE_TO_THE_NODE.some((pattern) => pattern.test(file.name))) return false;
  return file.messageType.length > 0;
}

function definitionsOf(set: FileDescriptorSet): Definitions {
  const fileOfType = new Map<string, string>();
  const fileOfOption = new Map<string, string>();
  for (const file of set.file) {
    const define = (scope: string, messages: readonly DescriptorProto[], enums: readonly { name: string }[]): void => {
      for (const { name } of enums) fileOfType.set(`${scope}.${name}`, file.name);
      for (const message of messages) {
        fileOfType.set(`${scope}.${message.name}`, file.name);
        define(`${scope}.${message.name}`, message.nestedType, message.enumType);
      }
    };
    define(`.${file.package}`, file.messageType, file.enumType);
    for (const extension of file.extension.filter((each) => isKeptOption(file, each)))
      fileOfOption.set(`${extension.extendee.slice(1)} ${extension.number}`, file.name);
  }
  return { fileOfType, fileOfOption };
}

function isKeptOption(file: FileDescriptorProto, extension: FieldDescriptorProto): boolean {
  return KEPT_OPTIONS.includes(`${file.package}.${extension.name}`);
}

/** Changes the file in place: it was parsed only for this. */
function pruneFile(file: FileDescriptorProto, { fileOfType, fileOfOption }: Definitions): FileDescriptorProto {
  const needed = new Set<string | undefined>();
  const pruneOptions = (options: (Message & { uninterpretedOption: unknown[] }) | undefined): void => {
    if (options?.$unknown === undefined) return;
    options.$unknown = options.$unknown.filter(({ no }) => fileOfOption.has(`${options.$typeName} ${no}`));
    for (const { no } of options.$unknown) needed.add(fileOfOption.get(`${options.$typeName} ${no}`));
  };
  const pruneField = (field: FieldDescriptorProto): void => {
    needed.add(fileOfType.get(field.typeName));
    pruneOptions(field.options);
  };
  const pruneEnum = (each: (typeof file.enumType)[number]): void => {
    pruneOptions(each.options);
    for (const value of each.value) pruneOptions(value.options);
  };
  const pruneMessage = (message: DescriptorProto): void => {
    pruneOptions(message.options);
    message.field.forEach(pruneField);
    for (const oneof of message.oneofDecl) pruneOptions(oneof.options);
    message.enumType.forEach(pruneEnum);
    message.nestedType.forEach(pruneMessage);
  };

  delete file.options;
  const comments = commentsOfMessages(file);
  if (comments === undefined) delete file.sourceCodeInfo;
  else file.sourceCodeInfo = comments;
  file.extension = file.extension.filter((extension) => isKeptOption(file, extension));
  for (const extension of file.extension) needed.add(fileOfType.get(extension.extendee));
  file.extension.forEach(pruneField);
  file.messageType.forEach(pruneMessage);
  file.enumType.forEach(pruneEnum);
  for (const service of file.service) {
    delete service.options;
    for (const method of service.method) pruneOptions(method.options);
    service.method = service.method.filter(({ options }) => (options?.$unknown ?? []).length > 0);
    for (const method of service.method)
      needed.add(fileOfType.get(method.inputType)).add(fileOfType.get(method.outputType));
  }
  file.service = file.service.filter(({ method }) => method.length > 0);
  if (file.publicDependency.length + file.weakDependency.length > 0)
    throw new Error(`${file.name} imports publicly or weakly, which is not provided for`);
  file.dependency = file.dependency.filter((dependency) => needed.has(dependency));
  return file;
}

/** Field number of messages in google/protobuf/descriptor.proto. */
const FILE_MESSAGE = 4;

/**
 * The comments above messages and fields, which the OpenAPI document uses. The positions of others change when methods are removed.
 */
function commentsOfMessages({ name, sourceCodeInfo }: FileDescriptorProto): SourceCodeInfo | undefined {
  if (IMPORTED_ONLY.test(name)) return undefined;
  const location = (sourceCodeInfo?.location ?? [])
    .filter(({ path, leadingComments }) => path[0] === FILE_MESSAGE && leadingComments !== "")
    .map(({ path, leadingComments }) => ({ path, leadingComments }));
  return location.length === 0 ? undefined : create(SourceCodeInfoSchema, { location });
}
