/** A template as OpenAPI writes a path (contract D, section 11): `{id=**}` is `{id}`, and parameters know their field. */
import type { Route } from "../transcoding/routes.ts";

export interface PathParameter {
  readonly name: string;
  /** From the request message down; nothing for a `*` outside a variable. */
  readonly chain?: Route["variables"][number];
  /** Whether it may hold several segments. */
  readonly isMulti: boolean;
}

export interface TemplatePath {
  readonly path: string;
  readonly parameters: readonly PathParameter[];
}

export function templatePath({ template, variables }: Route, mount: string): TemplatePath {
  const parts: string[] = [];
  const parameters: PathParameter[] = [];
  for (let index = 0; index < template.segments.length; index += 1) {
    const position = template.variables.findIndex(({ start }) => start === index);
    const variable = template.variables[position];
    if (variable !== undefined) {
      const name = variable.path.join(".");
      const inside = template.segments.slice(variable.start, variable.end);
      const isMulti = inside.length > 1 || inside[0]?.kind === "multi";
      const chain = variables[position];
      parameters.push({ name, isMulti, ...(chain && { chain }) });
      parts.push(`{${name}}`);
      index = variable.end - 1;
      continue;
    }
    const segment = template.segments[index];
    if (segment?.kind === "literal") parts.push(segment.value);
    else {
      const name = `part${index + 1}`;
      parameters.push({ name, isMulti: segment?.kind === "multi" });
      parts.push(`{${name}}`);
    }
  }
  const verb = template.verb === "" ? "" : `:${template.verb}`;
  return { path: `${mount}/${parts.join("/")}${verb}`, parameters };
}
