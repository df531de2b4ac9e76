/**
 * Reads a descriptor image as a whole: which types there are, and which rpcs have routes. What the routes mean is the
 * transcoder's, what the types look like as JSON the writer's. Costs tens of milliseconds and looks at everything, as is right
 * for what an operator brings; the built-in image, which the tests have looked at, is read in parts (open.ts)
 * (contract D, section 9).
 */
import { createFileRegistry, fromBinary, type FileRegistry, type Registry } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { methodPath, type BoundMethod } from "../transcoding/http-rule.ts";
import { HTTP_OPTION, isCarried, rulesOf } from "./http-rules.ts";

export interface Schema {
  readonly registry: Registry;
  /** In the order of the image's files, services and rpcs: earlier ones win where templates tie. */
  readonly methods: readonly BoundMethod[];
  /** Methods with a route that HTTP cannot carry (client and two-way streaming), as `package.Service/Method`. */
  readonly leftOut: readonly string[];
}

/**
 * @param image a `google.protobuf.FileDescriptorSet` that holds all imports, such as `buf build --as-file-descriptor-set`
 * writes it.
 * @throws Error when it is not one: no deployment can be served from it.
 */
export function loadSchema(image: Uint8Array): Schema & { readonly registry: FileRegistry } {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const option = registry.getExtension(HTTP_OPTION);
  const routed = [...registry.files]
    .flatMap(({ services }) => services)
    .flatMap(({ methods }) => methods)
    .flatMap((method) => {
      const rules = rulesOf(method.proto, option);
      return rules === undefined ? [] : [{ path: methodPath(method), method, rules, registry }];
    });
  return {
    registry,
    methods: routed.filter(({ method }) => isCarried(method.proto)),
    leftOut: routed.filter(({ method }) => !isCarried(method.proto)).map(({ path }) => path),
  };
}
