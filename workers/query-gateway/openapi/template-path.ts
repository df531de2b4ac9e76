/**
 * A template in OpenAPI notation: `{id=**}` is `{id}`, and parameters know their field. A variable with its own pattern
 * shows its literals, and each wildcard is a parameter: `{name=messages/*}` is `messages/{name-1}`.
 */
import type { TemplateSegment } from "../transcoding/paths/template.ts";
import type { Route } from "../transcoding/routes.ts";

export interface PathParameter {
  readonly name: string;
  /** The fields from the request message down; absent for a `*` outside a variable, and for a part of one. */
  readonly chain?: Route["variables"][number];
  /** Whether it can contain several segments. */
  readonly isMulti: boolean;
  /** The variable to which this part belongs. */
  readonly pieceOf?: string;
}

export interface TemplatePath {
  readonly path: string;
  readonly parameters: readonly PathParameter[];
}

export function templatePath({ template, variables }: Route, mount: string): TemplatePath {
  const parts: string[] = [];
  const parameters: PathParameter[] = [];
  const add = (parameter: PathParameter): void => {
    parameters.push(parameter);
    parts.push(`{${parameter.name}}`);
  };
  for (let index = 0; index < template.segments.length; index += 1) {
    const position = template.variables.findIndex(({ start }) => start === index);
    const variable = template.variables[position];
    const segment = template.segments[index];
    if (variable !== undefined) {
      const name = variable.path.join(".");
      const inside = template.segments.slice(variable.start, variable.end);
      const chain = variables[position];
      const [only] = inside;
      if (inside.length === 1 && only !== undefined && only.kind !== "literal")
        add({ name, isMulti: only.kind === "multi", ...(chain && { chain }) });
      else pieces(inside, name, { literal: (text) => void parts.push(text), piece: add });
      index = variable.end - 1;
    } else if (segment?.kind === "literal") parts.push(literalText(segment.value));
    else add({ name: `part${index + 1}`, isMulti: segment?.kind === "multi" });
  }
  const verb = template.verb === "" ? "" : `:${template.verb}`;
  return { path: `${mount}/${parts.join("/")}${verb}`, parameters };
}

interface PieceSink {
  readonly literal: (text: string) => void;
  readonly piece: (parameter: PathParameter) => void;
}

/** Field names contain no hyphen, so these names are unique. */
function pieces(segments: readonly TemplateSegment[], name: string, { literal, piece }: PieceSink): void {
  let count = 0;
  for (const segment of segments) {
    if (segment.kind === "literal") {
      literal(literalText(segment.value));
      continue;
    }
    count += 1;
    piece({ name: `${name}-${count}`, isMulti: segment.kind === "multi", pieceOf: name });
  }
}

/** Characters that a path segment contains unescaped (RFC 3986), after `encodeURIComponent` has escaped them. */
const PLAIN = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

/**
 * As in a request: braces would name a parameter, and readers of the document decode anything that looks like an
 * escape.
 */
function literalText(value: string): string {
  return encodeURIComponent(value).replaceAll(PLAIN, decodeURIComponent);
}

/** Equal for paths that OpenAPI treats as one: those that differ only in the names of their parameters. */
export function pathShape(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}
