/** Routing as the reference states it, slow and simple: tries every template, and sorts the matches by comparing them. */
import type { Template, TemplateSegment } from "../../../workers/query-gateway/transcoding/paths/template.ts";

interface Declared {
  readonly httpMethod: string;
  readonly template: Template;
}

/** The index of the winner with its values, or the kind of the failure. */
export function referenceMatch(
  routes: readonly Declared[],
  method: string,
  path: string,
): readonly [number, readonly string[]] | string {
  const raw = path.split("/").slice(1);
  if (raw.slice(0, -1).includes("")) return "not_found";
  const matching = routes.flatMap((route, index) => {
    const values = valuesOf(route.template, raw);
    return values === undefined ? [] : [{ route, index, values }];
  });
  const serves = ({ httpMethod }: Declared) =>
    httpMethod === method || httpMethod === "*" || (method === "HEAD" && httpMethod === "GET");
  const rank = ({ httpMethod }: Declared) => (httpMethod === method ? 0 : httpMethod === "*" ? 2 : 1);
  const [best] = matching
    .filter(({ route }) => serves(route))
    .toSorted(
      (a, b) => compare(a.route.template, b.route.template) || rank(a.route) - rank(b.route) || a.index - b.index,
    );
  if (best !== undefined) return [best.index, best.values];
  return matching.length > 0 ? "method_not_allowed" : "not_found";
}

function valuesOf({ segments, variables, verb }: Template, raw: readonly string[]): readonly string[] | undefined {
  const last = raw.at(-1) ?? "";
  const suffix = `:${verb}`;
  if (verb !== "" && (!last.endsWith(suffix) || last.length === suffix.length)) return undefined;
  const data = (verb === "" ? raw : [...raw.slice(0, -1), last.slice(0, -suffix.length)]).map(decodeURIComponent);
  const spans = spansOf(segments, data);
  return spans && variables.map(({ start, end }) => spans.slice(start, end).flat().join("/"));
}

/** The values of each segment of the template. */
function spansOf(
  segments: readonly TemplateSegment[],
  data: readonly string[],
): readonly (readonly string[])[] | undefined {
  const [first, ...rest] = segments;
  if (first === undefined) return data.length === 0 ? [] : undefined;
  const lengths = first.kind === "multi" ? Array.from({ length: data.length + 1 }, (_, length) => length) : [1];
  for (const length of lengths) {
    if (length > data.length || (first.kind === "literal" && data[0] !== first.value)) continue;
    const others = spansOf(rest, data.slice(length));
    if (others !== undefined) return [data.slice(0, length), ...others];
  }
  return undefined;
}

const strength = { literal: 0, single: 1, multi: 2 };

/** Below zero when `a` comes first. */
function compare(a: Template, b: Template): number {
  for (let index = 0; ; index += 1) {
    const [one, other] = [a.segments[index], b.segments[index]];
    // Where one ends, the other continues with a `**` that matches nothing.
    if (one === undefined || other === undefined) {
      const byLength = Number(one !== undefined) - Number(other !== undefined);
      return byLength || Number(a.verb === "") - Number(b.verb === "");
    }
    const byKind = strength[one.kind] - strength[other.kind];
    if (byKind !== 0) return byKind;
    if (one.kind === "multi" && a.segments.length !== b.segments.length) return b.segments.length - a.segments.length;
  }
}
