/**
 * A path from a template and its values, for links to successors and for nodes that are asked over HTTP: the inverse of
 * matching. Leaves the query to others.
 */
import type { Template, TemplateSegment } from "./template.ts";

/**
 * The path, percent-encoded so that the same template gives the same values back. `undefined` when it cannot be written:
 * the value does not follow its variable's pattern, is empty or dots
 * where a path cannot say so, or a `*` outside a variable stands for nothing known.
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
