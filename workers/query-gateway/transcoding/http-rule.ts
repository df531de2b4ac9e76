/**
 * What a descriptor set says of one rpc over HTTP: the `google.api.http` option as plain data. Whoever reads images
 * (../descriptors/load.ts) writes these; the transcoder knows no other source of routes (contract D, section 1).
 */
import type { DescMethod, Registry } from "@bufbuild/protobuf";

/** One binding of an rpc. `body` and `responseBody` are top-level field names as the option spells them. */
export interface HttpRule {
  /** `GET`, `PUT`, `POST`, `DELETE`, `PATCH`, or the kind of a `custom` pattern; `*` serves every verb. */
  readonly verb: string;
  /** Such as `/ixo/claims/claim/{id}`. */
  readonly template: string;
  /** `*` = the whole request message, a field's name = that field, absent = none. */
  readonly body?: string;
  /** The field of the answer that becomes the document; absent = the whole message. */
  readonly responseBody?: string;
}

/** An rpc with all its bindings: the option's own pattern first, then `additional_bindings` in their order. */
export interface BoundMethod {
  /** `package.Service/Method`, as configuration and gRPC name it. */
  readonly path: string;
  /** Where descriptors are read at first use, this is one. */
  readonly method: DescMethod;
  readonly rules: readonly HttpRule[];
  /** The types of its image. */
  readonly registry: Registry;
  /** Its rules are known to fit its messages, so that they need not be looked at before one is used. */
  readonly isChecked?: boolean;
}

export function methodPath(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
