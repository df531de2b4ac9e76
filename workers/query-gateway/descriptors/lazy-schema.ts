/**
 * The built-in descriptor set, read in parts: the routes at once, each file with its imports at first use. A request
 * needs ten of 127 files, and reading all of them took half of the first request. A test checks that the result equals
 * `loadSchema` of these bytes.
 */
import {
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Registry,
  createFileRegistry,
  fromBinary,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  FileDescriptorProtoSchema,
  ServiceDescriptorProtoSchema,
  type ServiceDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import { HTTP_OPTION, isCarried, rulesOf, type Schema } from "./schema.ts";

type Desc = DescMessage | DescEnum | DescExtension | DescService;

/** @param image a descriptor set that the tests have read as a whole. */
export function openSchema(image: Uint8Array): Schema {
  const files = imageFiles(image);
  const registry = lazyRegistry(files);
  const option = registry.getExtension(HTTP_OPTION);
  const methods: BoundMethod[] = [];
  const excluded: string[] = [];
  for (const file of files) {
    for (const service of file.services) {
      for (const proto of service.method) {
        const rules = rulesOf(proto, option);
        if (rules === undefined) continue;
        const path = `${file.package}.${service.name}/${proto.name}`;
        if (!isCarried(proto)) excluded.push(path);
        else {
          methods.push({
            path,
            rules,
            registry,
            isChecked: true,
            get method() {
              const method = methodIn(file.read(), service.name, proto.name);
              // Cached, because each call reads it several times.
              Object.defineProperty(this, "method", { value: method });
              return method;
            },
          });
        }
      }
    }
  }
  return { registry, methods, excluded };
}

function methodIn({ services }: DescFile, service: string, name: string): DescMethod {
  const found = services.find((each) => each.name === service)?.methods.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${service}/${name} is not in its file`);
  return found;
}

/** Looks for a type in the files of its package; iterating over all types reads all files. */
function lazyRegistry(files: readonly ImageFile[]): Registry {
  const byPackage = Map.groupBy(files, (file) => file.package);
  const packages = new Map<string, ReadonlyMap<string, Desc>>();

  function typesOf(name: string, held: readonly ImageFile[]): ReadonlyMap<string, Desc> {
    const known = packages.get(name);
    if (known !== undefined) return known;
    const types = held.flatMap((file) => [...nestedTypes(file.read())]);
    const byName = new Map(types.map((type): [string, Desc] => [type.typeName, type]));
    packages.set(name, byName);
    return byName;
  }

  function get(typeName: string): Desc | undefined {
    // A package's name may be a prefix of another's, and of a type in another package.
    for (const [name, held] of byPackage) {
      const found = typeName.startsWith(`${name}.`) ? typesOf(name, held).get(typeName) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function* all(): Generator<Desc, undefined, undefined> {
    for (const [name, held] of byPackage) yield* typesOf(name, held).values();
  }

  const of =
    <Kind extends Desc["kind"]>(kind: Kind) =>
    (typeName: string): Extract<Desc, { kind: Kind }> | undefined => {
      const found = get(typeName);
      return found?.kind === kind ? (found as Extract<Desc, { kind: Kind }>) : undefined;
    };
  return {
    kind: "registry",
    [Symbol.iterator]: all,
    get,
    getMessage: of("message"),
    getEnum: of("enum"),
    getExtension: of("extension"),
    getService: of("service"),
    getExtensionFor: (extendee, number) =>
      [...all()].find(
        (type): type is DescExtension =>
          type.kind === "extension" && type.extendee.typeName === extendee.typeName && type.number === number,
      ),
  };
}

interface ImageFile {
  /** For example `ixo/token/v1beta1/query.proto`. */
  readonly name: string;
  /** For example `ixo.token.v1beta1`. */
  readonly package: string;
  readonly services: readonly ServiceDescriptorProto[];
  /** @throws Error if it or an import is missing or invalid. */
  readonly read: () => DescFile;
}

/** Field numbers of google/protobuf/descriptor.proto. */
const SET_FILE = 1;
const [FILE_NAME, FILE_PACKAGE, FILE_DEPENDENCY, FILE_SERVICE] = [1, 2, 3, 6];

/** @throws Error for bytes that are not a `google.protobuf.FileDescriptorSet`. */
function imageFiles(image: Uint8Array): readonly ImageFile[] {
  const files: ImageFile[] = [];
  const byName = new Map<string, ImageFile>();
  eachField(image, (number, reader) => {
    if (number !== SET_FILE) return false;
    const file = imageFile(reader.bytes(), (name) => {
      const found = byName.get(name);
      if (found === undefined) throw new Error(`The image does not contain ${name}`);
      return found.read();
    });
    files.push(file);
    byName.set(file.name, file);
    return true;
  });
  return files;
}

function imageFile(bytes: Uint8Array, read: (name: string) => DescFile): ImageFile {
  const head = { name: "", package: "" };
  const dependencies: string[] = [];
  const services: ServiceDescriptorProto[] = [];
  eachField(bytes, (number, reader) => {
    if (number === FILE_NAME) head.name = reader.string();
    else if (number === FILE_PACKAGE) head.package = reader.string();
    else if (number === FILE_DEPENDENCY) dependencies.push(reader.string());
    else if (number === FILE_SERVICE) services.push(fromBinary(ServiceDescriptorProtoSchema, reader.bytes()));
    else return false;
    return true;
  });
  let file: DescFile | undefined;
  return {
    ...head,
    services,
    read: () => (file ??= readFile(bytes, new Map(dependencies.map((name) => [name, read(name)])))),
  };
}

function readFile(bytes: Uint8Array, imports: ReadonlyMap<string, DescFile>): DescFile {
  const proto = fromBinary(FileDescriptorProtoSchema, bytes);
  const file = createFileRegistry(proto, (name) => imports.get(name)).getFile(proto.name);
  if (file === undefined) throw new Error(`${proto.name} could not be read`);
  return file;
}

/** `take` reads the field's value and returns true, or returns false to skip it. */
function eachField(bytes: Uint8Array, take: (number: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (!take(number, reader)) reader.skip(wireType, number);
  }
}
