/**
 * Reads a descriptor set as a whole: its types, and its rpcs with an HTTP rule. Takes tens of milliseconds and checks
 * everything, which suits an operator's own set; the built-in one is read in parts (lazy-schema.ts).
 */
import {
  createFileRegistry,
  fromBinary,
  type FileRegistry,
  type Registry,
  getExtension,
  hasExtension,
  type DescExtension,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, type MethodDescriptorProto } from "@bufbuild/protobuf/wkt";
import { methodPath, type BoundMethod, type HttpRule } from "../transcoding/http-rule.ts";

export interface Schema {
  readonly registry: Registry;
  /** In the order of the set's files, services and rpcs: if templates tie, the earlier one wins. */
  readonly methods: readonly BoundMethod[];
  /** Methods with a route that HTTP cannot carry (client and bidirectional streaming), as `package.Service/Method`. */
  readonly excluded: readonly string[];
}

/**
 * @param image a `google.protobuf.FileDescriptorSet` that contains all imports, as `buf build --as-file-descriptor-set`
 * writes it.
 * @throws Error for other bytes: no profile can be served from them.
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
    excluded: routed.filter(({ method }) => !isCarried(method.proto)).map(({ path }) => path),
  };
}

/** Without this option, nothing in a descriptor set can have a route. */
export const HTTP_OPTION = "google.api.http";

/** `google.api.HttpRule` as the set's own descriptors read it. */
interface HttpRuleMessage {
  readonly pattern:
    | { readonly case: "get" | "put" | "post" | "delete" | "patch"; readonly value: string }
    | { readonly case: "custom"; readonly value: { readonly kind: string; readonly path: string } }
    | { readonly case: undefined };
  readonly body: string;
  /** Absent if the set's copy of http.proto is older than the field. */
  readonly responseBody?: string;
  readonly additionalBindings: readonly HttpRuleMessage[];
}

/** Empty for a method without a route. `option` is the extension with that name. */
export function rulesOf(
  { options }: MethodDescriptorProto,
  option: DescExtension | undefined,
): readonly HttpRule[] | undefined {
  if (option === undefined || options === undefined || !hasExtension(options, option)) return undefined;
  const rule = getExtension(options, option) as HttpRuleMessage;
  // Additional bindings cannot have additional bindings (google/api/http.proto).
  return [rule, ...rule.additionalBindings].flatMap(ruleOf);
}

/** HTTP cannot carry client and bidirectional streaming. */
export function isCarried({ clientStreaming }: MethodDescriptorProto): boolean {
  return !clientStreaming;
}

/** Empty for a rule without a pattern. */
function ruleOf({ pattern, body, responseBody }: HttpRuleMessage): readonly HttpRule[] {
  if (pattern.case === undefined) return [];
  const route =
    pattern.case === "custom"
      ? { verb: pattern.value.kind, template: pattern.value.path }
      : { verb: pattern.case.toUpperCase(), template: pattern.value };
  return [{ ...route, ...(body && { body }), ...(responseBody && { responseBody }) }];
}

/**
 * The largest set of a public chain has 3 MB with its comments; reading costs about 100 ms per megabyte, at the first
 * request.
 */
export const IMAGE_BYTES_MAX = 5_000_000;

/** The name of an operator's file among the deployed assets. No path of the Worker serves it. */
export const IMAGE_FILE = "gateway-image.binpb";
