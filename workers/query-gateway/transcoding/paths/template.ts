/**
 * The path grammar of `google.api.http` (google/api/http.proto), parsed and written: `/` segments joined by `/`, then
 * an optional `:verb`. `**` can be followed by a fixed tail, which the specification leaves open and the chain's own
 * routes use.
 */
import { failure, success, type Result } from "../../../../platform/result.ts";

export type TemplateSegment =
  /** Decoded: `%65ntity` in a template is `entity`. */
  { readonly kind: "literal"; readonly value: string } | { readonly kind: "single" } | { readonly kind: "multi" };

interface TemplateVariable {
  /** Names of fields from the request message down: `["sub", "a"]` for `{sub.a}`. */
  readonly path: readonly string[];
  /** The segments of the template that it spans: from `start` up to, excluding, `end`. */
  readonly start: number;
  readonly end: number;
}

export interface Template {
  readonly text: string;
  readonly segments: readonly TemplateSegment[];
  readonly variables: readonly TemplateVariable[];
  /** `""` for none. */
  readonly verb: string;
  /** Index of the one `**`, -1 for none. */
  readonly multiAt: number;
}

const FIELD_PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
/** The characters of a path segment in RFC 3986, without `:` and `*`, which have a meaning here. */
const LITERAL = /^[\w\-.~!$&'()+,;=@%]+$/;

/** A template, or the reason why it is not one. */
export function parseTemplate(text: string): Result<Template, string> {
  if (text === "/")
    return success({ text, segments: [{ kind: "literal", value: "" }], variables: [], verb: "", multiAt: -1 });
  if (!text.startsWith("/")) return failure("a template starts with /");
  const colon = text.lastIndexOf(":");
  const hasVerb = colon > Math.max(text.lastIndexOf("/"), text.lastIndexOf("}"));
  const verb = hasVerb ? text.slice(colon + 1) : "";
  if (hasVerb && !LITERAL.test(verb)) return failure("a verb is a literal of at least one character");
  const parsed = parseSegments(hasVerb ? text.slice(0, colon) : text);
  if (!parsed.ok) return parsed;
  const { segments, variables } = parsed.value;

  const names = variables.map(({ path }) => path.join("."));
  if (new Set(names).size < names.length) return failure("a variable is bound twice");
  const multis = segments.filter(({ kind }) => kind === "multi").length;
  if (multis > 1) return failure("** occurs more than once");
  const multiAt = segments.findIndex(({ kind }) => kind === "multi");
  return success({ text, segments, variables, verb, multiAt });
}

interface ParsedSegments {
  readonly segments: readonly TemplateSegment[];
  readonly variables: readonly TemplateVariable[];
}

function parseSegments(text: string): Result<ParsedSegments, string> {
  const segments: TemplateSegment[] = [];
  const variables: TemplateVariable[] = [];
  for (let position = 0; position < text.length;) {
    if (text[position] !== "/") return failure("a segment must be followed by / or the end");
    position += 1;
    const isVariable = text[position] === "{";
    const end = isVariable ? text.indexOf("}", position) + 1 : endOfSegment(text, position);
    if (end === 0) return failure("a variable is not closed");
    const part = text.slice(position, end);
    const start = segments.length;
    const variable = isVariable ? parseVariable(part.slice(1, -1)) : success({ path: [], pattern: part });
    if (!variable.ok) return variable;
    for (const each of variable.value.pattern.split("/")) {
      const segment = parseSegment(each);
      if (!segment.ok) return segment;
      segments.push(segment.value);
    }
    if (isVariable) variables.push({ path: variable.value.path, start, end: segments.length });
    position = end;
  }
  return success({ segments, variables });
}

function endOfSegment(text: string, from: number): number {
  const slash = text.indexOf("/", from);
  return slash === -1 ? text.length : slash;
}

/** The text between the braces. */
function parseVariable(text: string): Result<{ path: readonly string[]; pattern: string }, string> {
  if (text.includes("{")) return failure("variables do not nest");
  const equals = text.indexOf("=");
  const path = equals === -1 ? text : text.slice(0, equals);
  if (!FIELD_PATH.test(path)) return failure("a variable is named by a path of fields");
  return success({ path: path.split("."), pattern: equals === -1 ? "*" : text.slice(equals + 1) });
}

function parseSegment(text: string): Result<TemplateSegment, string> {
  if (text === "*") return success({ kind: "single" });
  if (text === "**") return success({ kind: "multi" });
  if (!LITERAL.test(text)) return failure(text === "" ? "a segment is empty" : "a segment is *, ** or a literal");
  try {
    return success({ kind: "literal", value: decodeURIComponent(text) });
  } catch {
    return failure("an escape is malformed");
  }
}

/**
 * The path, percent-encoded so that the template reads the values back. `undefined` if it cannot be written: the value
 * does not match its variable's pattern, is empty or dots where a path cannot express that, or a `*` outside a variable
 * has no known value.
 */
export function writePath(template: Template, values: readonly string[]): string | undefined {
  const parts: string[] = [];
  for (let index = 0; index < template.segments.length;) {
    const position = template.variables.findIndex(({ start }) => start === index);
    const end = template.variables[position]?.end ?? index + 1;
    const segments = template.segments.slice(index, end);
    const written = position === -1 ? literals(segments) : spread(values[position] ?? "", segments);
    if (written === undefined) return undefined;
    parts.push(...written);
    index = end;
  }
  const last = parts.length - 1;
  const cannotBe = (part: string, index: number) =>
    isDots(part) || (part === "" && (index < last || template.verb !== ""));
  if (parts.some(cannotBe)) return undefined;
  return `/${parts.map(encodeURIComponent).join("/")}${template.verb === "" ? "" : `:${template.verb}`}`;
}

/** Resolved by every URL parser, escaped or not. */
function isDots(part: string): boolean {
  return part === "." || part === "..";
}

function literals(segments: readonly TemplateSegment[]): readonly string[] | undefined {
  const texts = segments.flatMap((segment) => (segment.kind === "literal" ? [segment.value] : []));
  return texts.length === segments.length ? texts : undefined;
}

/** The parts of a value under its variable's pattern. Under a lone `*` a slash is data. */
function spread(value: string, pattern: readonly TemplateSegment[]): readonly string[] | undefined {
  if (pattern.length === 1 && pattern[0]?.kind === "single") return [value];
  const parts = value === "" ? [] : value.split("/");
  const multiAt = pattern.findIndex(({ kind }) => kind === "multi");
  const stretch = parts.length - pattern.length;
  if (multiAt === -1 ? stretch !== 0 : stretch < -1) return undefined;
  const follows = pattern.every((segment, index) => {
    const part = parts[multiAt !== -1 && index > multiAt ? index + stretch : index];
    return segment.kind !== "literal" || segment.value === part;
  });
  return follows ? parts : undefined;
}
