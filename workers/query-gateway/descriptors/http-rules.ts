/** The `google.api.http` option of a method as plain data (google/api/http.proto), read by the image's own copy of it. */
import { getExtension, hasExtension, type DescExtension } from "@bufbuild/protobuf";
import type { MethodDescriptorProto } from "@bufbuild/protobuf/wkt";
import type { HttpRule } from "../transcoding/http-rule.ts";

/** Without it nothing in an image can have a route. */
export const HTTP_OPTION = "google.api.http";

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

/** Nothing for a method without a route. `option` is the extension of that name. */
export function rulesOf(
  { options }: MethodDescriptorProto,
  option: DescExtension | undefined,
): readonly HttpRule[] | undefined {
  if (option === undefined || options === undefined || !hasExtension(options, option)) return undefined;
  const rule = getExtension(options, option) as HttpRuleMessage;
  // Bindings of additional bindings do not exist (google/api/http.proto).
  return [rule, ...rule.additionalBindings].flatMap(ruleOf);
}

/** HTTP cannot carry client and two-way streaming. */
export function isCarried({ clientStreaming }: MethodDescriptorProto): boolean {
  return !clientStreaming;
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
