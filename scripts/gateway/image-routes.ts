/** What the query gateway would serve of a descriptor image: its methods with an HTTP rule. */
import { createFileRegistry, fromBinary, getOption, hasOption } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

export interface ImageRoutes {
  /** With a rule. */
  readonly services: number;
  /** Rules, additional bindings too. */
  readonly routes: number;
}

/** @throws Error for what is no `google.protobuf.FileDescriptorSet` with all its imports. */
export function routesOf(image: Uint8Array): ImageRoutes {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const option = registry.getExtension("google.api.http");
  if (option === undefined) return { services: 0, routes: 0 };
  const ruled = [...registry.files]
    .flatMap(({ services }) => services)
    .flatMap(({ methods }) => methods)
    .filter((method) => hasOption(method, option));
  const rules = ruled.map((method) => getOption(method, option) as { readonly additionalBindings: readonly unknown[] });
  return {
    services: new Set(ruled.map(({ parent }) => parent)).size,
    routes: rules.reduce((sum, { additionalBindings }) => sum + 1 + additionalBindings.length, 0),
  };
}
