/**
 * A descriptor image as its files, each read when it is first asked for, with what it imports: of 127 files a request needs
 * ten, and reading all takes most of the gateway's first request. Of the others only the heads are looked at: name, package,
 * imports, services.
 */
import { createFileRegistry, fromBinary, type DescFile } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  ServiceDescriptorProtoSchema,
  type ServiceDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { BinaryReader } from "@bufbuild/protobuf/wire";

export interface ImageFile {
  /** Such as `ixo/token/v1beta1/query.proto`. */
  readonly name: string;
  /** Such as `ixo.token.v1beta1`. */
  readonly package: string;
  readonly services: readonly ServiceDescriptorProto[];
  /** @throws Error when it or an import is not there or not sound. */
  readonly read: () => DescFile;
}

/** Numbers of fields in google/protobuf/descriptor.proto. */
const SET_FILE = 1;
const [FILE_NAME, FILE_PACKAGE, FILE_DEPENDENCY, FILE_SERVICE] = [1, 2, 3, 6];

/** @throws Error for what is no `google.protobuf.FileDescriptorSet`. */
export function imageFiles(image: Uint8Array): readonly ImageFile[] {
  const files: ImageFile[] = [];
  const byName = new Map<string, ImageFile>();
  eachField(image, (number, reader) => {
    if (number !== SET_FILE) return false;
    const file = imageFile(reader.bytes(), (name) => {
      const found = byName.get(name);
      if (found === undefined) throw new Error(`The image does not hold ${name}`);
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

/** `take` reads the field's value and says so, or leaves it to be skipped. */
function eachField(bytes: Uint8Array, take: (number: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (!take(number, reader)) reader.skip(wireType, number);
  }
}
