/**
 * Reads a descriptor image: which types there are, and which rpcs have routes. What the routes mean is the transcoder's,
 * what the types look like as JSON the writer's. Costs tens of milliseconds, so once per isolate and image
 * (contract D, section 9).
 */
import {
  createFileRegistry,
  fromBinary,
  getOption,
  hasOption,
  type DescExtension,
  type DescMethod,
  type FileRegistry,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { BoundMethod, HttpRule } from "../transcoding/http-rule.ts";

export interface Schema {
  readonly registry: FileRegistry;
  /** In the order of the image's files, services and rpcs: earlier ones win where templates tie. */
  readonly methods: readonly BoundMethod[];
  /** Methods with a route that HTTP cannot carry (client and two-way streaming), as `package.Service/Method`. */
  readonly leftOut: readonly string[];
}

/** `google.api.HttpRule` as the image's own descriptors read it. */
interface HttpRuleMessage {
  readonly pattern:
    | { readonly case: "get" | "put" | "post" | "delete" | "patch"; readonly value: string }
    | { readonly case: "custom"; readonly value: { readonly kind: string; readonly path: string } }
    | { readonly case: undefined };
  readonly body: string;
  /** Absent where the image's copy of http.proto is older than the field. */
  readonly responseBody?: string;
  readonly additionalBindings: readonly HttpRuleMessage[];
}

/**
 * @param image a `google.protobuf.FileDescriptorSet` that holds all imports, such as `buf build --as-file-descriptor-set`
 * writes it.
 * @throws Error when it is not one: no deployment can be served from it.
 */
export function loadSchema(image: Uint8Array): Schema {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  // Without it nothing in the image can have a route.
  const option = registry.getExtension("google.api.http");
  const routed = option === undefined ? [] : methodsOf(registry).filter((method) => hasOption(method, option));
  const isCarried = ({ methodKind }: DescMethod): boolean =>
    methodKind === "unary" || methodKind === "server_streaming";
  return {
    registry,
    methods: routed.filter(isCarried).map((method) => ({ method, rules: option ? rulesOf(method, option) : [] })),
    leftOut: routed.filter((method) => !isCarried(method)).map(({ parent, name }) => `${parent.typeName}/${name}`),
  };
}

function methodsOf(registry: FileRegistry): readonly DescMethod[] {
  return [...registry.files].flatMap(({ services }) => services).flatMap(({ methods }) => methods);
}

function rulesOf(method: DescMethod, option: DescExtension): readonly HttpRule[] {
  const rule = getOption(method, option) as HttpRuleMessage;
  // Bindings of additional bindings do not exist (google/api/http.proto).
  return [rule, ...rule.additionalBindings].flatMap(ruleOf);
}

/** Nothing for a rule without a pattern. */
function ruleOf({ pattern, body, responseBody }: HttpRuleMessage): readonly HttpRule[] {
  if (pattern.case === undefined) return [];
  const route =
    pattern.case === "custom"
      ? { verb: pattern.value.kind, template: pattern.value.path }
      : { verb: pattern.case.toUpperCase(), template: pattern.value };
  return [{ ...route, ...(body && { body }), ...(responseBody && { responseBody }) }];
}
