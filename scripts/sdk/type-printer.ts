/**
 * JSON schemas as TypeScript: read-only at every level, descriptions as docstrings. Supports the parts of JSON Schema in
 * `protocol/`, and throws for anything else, so that nothing is silently omitted.
 */

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
}

export interface TypePrinter {
  /** The type of a schema, as an expression. */
  type(schema: Schema): string;
  /** An exported interface or type, with its docstring. */
  declaration(name: string, schema: Schema): string;
  docstring(schema: Schema): string;
}

/** `nameOf` returns the name of a type that is declared elsewhere: for an id of `$defs`, or for the schema itself. */
export function createTypePrinter(nameOf: (schema: Schema | string) => string | undefined): TypePrinter {
  function type(schema: Schema): string {
    const named = nameOf(schema);
    if (named !== undefined) return named;
    const { $ref } = schema;
    if ($ref !== undefined) {
      const name = nameOf($ref.replace("#/$defs/", ""));
      if (name === undefined) throw new Error(`${$ref} has no name`);
      return name;
    }
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return union(schema.enum.map((each) => JSON.stringify(each)));
    if (schema.type === undefined && schema.anyOf !== undefined) return union(schema.anyOf.map(type));
    if (schema.type === undefined) return "unknown";
    return union([schema.type].flat().map((each) => typed(each, schema)));
  }

  function typed(name: string, schema: Schema): string {
    switch (name) {
      case "string":
      case "boolean":
      case "null":
        return name;
      case "number":
      case "integer":
        return "number";
      case "array":
        return `readonly ${inBrackets(type(schema.items ?? {}))}[]`;
      case "object":
        return object(schema);
      default:
        throw new Error(`a schema of type ${name}`);
    }
  }

  function object({ properties, required = [], additionalProperties }: Schema): string {
    if (properties === undefined) {
      if (typeof additionalProperties !== "object") return "JsonObject";
      return `{ readonly [name: string]: ${type(additionalProperties)} }`;
    }
    const members = Object.entries(properties).map(([name, schema]) => {
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      return `${docstring(schema)}readonly ${key}${required.includes(name) ? "" : "?"}: ${type(schema)};`;
    });
    return `{\n${members.join("\n")}\n}`;
  }

  return {
    type,
    declaration(name, schema) {
      const text = schema.type === "object" ? object(schema) : type(schema);
      const head = text.startsWith("{") ? `interface ${name} ${text}` : `type ${name} = ${text};`;
      return `${docstring(schema)}export ${head}\n`;
    },
    docstring,
  };
}

function docstring({ description }: Schema): string {
  return description === undefined ? "" : `/** ${description.replaceAll("*/", "* /")} */\n`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function inBrackets(type: string): string {
  return /^\w+$/.test(type) ? type : `(${type})`;
}
