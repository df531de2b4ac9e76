/**
 * The built-in image, read in parts: the routes at once, a type when it is first asked for. Gives what loadSchema (load.ts)
 * gives of the same bytes, which a test holds; here nobody looks at what nobody asks for.
 */
import {
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Registry,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import { HTTP_OPTION, isCarried, rulesOf } from "./http-rules.ts";
import { imageFiles, type ImageFile } from "./image-files.ts";
import type { Schema } from "./load.ts";

type Desc = DescMessage | DescEnum | DescExtension | DescService;

/** @param image one that the tests have read as a whole. */
export function openSchema(image: Uint8Array): Schema {
  const files = imageFiles(image);
  const registry = lazyRegistry(files);
  const option = registry.getExtension(HTTP_OPTION);
  const methods: BoundMethod[] = [];
  const leftOut: string[] = [];
  for (const file of files) {
    for (const service of file.services) {
      for (const proto of service.method) {
        const rules = rulesOf(proto, option);
        if (rules === undefined) continue;
        const path = `${file.package}.${service.name}/${proto.name}`;
        if (!isCarried(proto)) leftOut.push(path);
        else {
          const method = (): DescMethod => methodIn(file.read(), service.name, proto.name);
          methods.push({
            path,
            rules,
            registry,
            isChecked: true,
            get method() {
              return method();
            },
          });
        }
      }
    }
  }
  return { registry, methods, leftOut };
}

function methodIn({ services }: DescFile, service: string, name: string): DescMethod {
  const found = services.find((each) => each.name === service)?.methods.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${service}/${name} is not in its file`);
  return found;
}

/** Looks for a type in the files of its package; whoever wants all of them has all files read. */
function lazyRegistry(files: readonly ImageFile[]): Registry {
  const byPackage = Map.groupBy(files, (file) => file.package);
  const packages = new Map<string, ReadonlyMap<string, Desc>>();

  function typesOf(name: string, held: readonly ImageFile[]): ReadonlyMap<string, Desc> {
    const known = packages.get(name);
    if (known !== undefined) return known;
    const types = held.flatMap((file) => [...nestedTypes(file.read())]);
    const made = new Map(types.map((type): [string, Desc] => [type.typeName, type]));
    packages.set(name, made);
    return made;
  }

  function get(typeName: string): Desc | undefined {
    // A package's name may begin another's, and a type's another package's.
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
