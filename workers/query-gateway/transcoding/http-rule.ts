/**
 * The `google.api.http` option of an rpc as plain data, and a rule bound to the descriptors of its method. Every name
 * in a rule is looked up once, at build; a rule with an unknown name is refused with the reason.
 */
import type { DescMethod, Registry, DescField, DescMessage } from "@bufbuild/protobuf";
import { failure, success, type Result } from "../../../platform/result.ts";
import { bindVariable, fieldNamed, type FieldChain } from "./fields.ts";
import type { Template } from "./paths/template.ts";

/** One binding of an rpc. `body` and `responseBody` are top-level field names in the option's spelling. */
export interface HttpRule {
  /** `GET`, `PUT`, `POST`, `DELETE`, `PATCH`, or the kind of a `custom` pattern; `*` serves every verb. */
  readonly verb: string;
  /** For example `/ixo/claims/claim/{id}`. */
  readonly template: string;
  /** `*` = the whole request message, a field's name = that field, absent = none. */
  readonly body?: string;
  /** The field of the response that becomes the document; absent for the whole message. */
  readonly responseBody?: string;
}

/** An rpc with all its bindings: the option's own pattern first, then `additional_bindings` in their order. */
export interface BoundMethod {
  /** `package.Service/Method`, as in configuration and gRPC. */
  readonly path: string;
  /** A getter if descriptors are read at first use. */
  readonly method: DescMethod;
  readonly rules: readonly HttpRule[];
  /** The types of its descriptor set. */
  readonly registry: Registry;
  /** Its rules are known to match its messages, so they need not be checked before use. */
  readonly isChecked?: boolean;
}

export function methodPath(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

export const HTTP_BODY = "google.api.HttpBody";

/** The part of the message that the request's body fills. */
export type BodyTarget =
  | { readonly kind: "none" }
  | { readonly kind: "message" }
  | { readonly kind: "field"; readonly field: DescField };

/** The part of the response that becomes the document; `http-body` is raw data with its own content type. */
export type ResponseSelection =
  /** The bytes of the message, for clients that decode it themselves. */
  | { readonly kind: "protobuf"; readonly message: DescMessage }
  | { readonly kind: "message"; readonly message: DescMessage }
  | { readonly kind: "field"; readonly field: DescField }
  | { readonly kind: "http-body"; readonly field?: DescField };

export interface BoundRule {
  readonly method: DescMethod;
  readonly rule: HttpRule;
  /** One per variable of the template, in order. */
  readonly variables: readonly FieldChain[];
  readonly body: BodyTarget;
  readonly response: ResponseSelection;
}

/** Binds a rule to its method under a template, which differs from the rule's own below another prefix. */
export function bindRule(method: DescMethod, rule: HttpRule, template: Template): Result<BoundRule, string> {
  if (rule.verb === "") return failure("a rule names no HTTP method");
  const variables: FieldChain[] = [];
  for (const { path } of template.variables) {
    const chain = bindVariable(method.input, path);
    if (!chain.ok) return chain;
    variables.push(chain.value);
  }
  const body = bodyTarget(method.input, rule.body);
  if (!body.ok) return body;
  const response = selectResponse(method.output, rule.responseBody);
  if (!response.ok) return response;
  return success({ method, rule, variables, body: body.value, response: response.value });
}

/**
 * Like `bindRule`, for a method whose rules are known to fit, at first access: its messages may not have been read yet.
 * `more` contains members that are known without them.
 */
export function bindAtFirstUse<More extends object>(
  bound: BoundMethod,
  rule: HttpRule,
  template: Template,
  more: More,
): BoundRule & More {
  let known: BoundRule | undefined;
  const binding = (): BoundRule => {
    if (known !== undefined) return known;
    const result = bindRule(bound.method, rule, template);
    if (!result.ok) throw new Error(`${bound.path} ${template.text}: ${result.error}`);
    return (known = result.value);
  };
  return {
    ...more,
    rule,
    get method() {
      return binding().method;
    },
    get variables() {
      return binding().variables;
    },
    get body() {
      return binding().body;
    },
    get response() {
      return binding().response;
    },
  };
}

function bodyTarget(input: DescMessage, name = ""): Result<BodyTarget, string> {
  if (name === "") return success({ kind: "none" });
  if (name === "*") return success({ kind: "message" });
  const field = fieldNamed(input, name);
  return field === undefined
    ? failure(`the body ${name} is not a field of ${input.typeName}`)
    : success({ kind: "field", field });
}

function selectResponse(output: DescMessage, name = ""): Result<ResponseSelection, string> {
  if (name === "")
    return success(output.typeName === HTTP_BODY ? { kind: "http-body" } : { kind: "message", message: output });
  const field = fieldNamed(output, name);
  if (field === undefined) return failure(`the response body ${name} is not a field of ${output.typeName}`);
  const isRaw = field.fieldKind === "message" && field.message.typeName === HTTP_BODY;
  return success({ kind: isRaw ? "http-body" : "field", field });
}
