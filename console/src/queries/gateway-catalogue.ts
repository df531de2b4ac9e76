/**
 * The chain's paths from the gateway's OpenAPI document: the queries with their parameters, and paths of older releases that still
 * answer.
 */

export type ParameterKind = "text" | "integer" | "boolean" | "choice" | "bytes" | "list" | "map";
export type AccessKind = "none" | "apiKey" | "bearer" | "basic";

export interface Parameter {
  readonly name: string;
  readonly place: "path" | "query";
  readonly kind: ParameterKind;
  /** The values of a `choice`. */
  readonly choices: readonly string[];
  /** Whether its slashes separate segments of the path. */
  readonly isMulti: boolean;
  readonly description?: string | undefined;
}

export interface QueryPath {
  /** The path with its parameters in braces. */
  readonly path: string;
  readonly method: string;
  /** Such as `ixo.entity.v1beta1.Query/EntityList`. */
  readonly name: string;
  /** In the order of the form: the path's, then the query's. */
  readonly parameters: readonly Parameter[];
  readonly takesBody: boolean;
  readonly access: AccessKind;
  /** The path that has replaced it, for a path of an older release. */
  readonly successor?: string;
}

export interface Catalogue {
  readonly paths: readonly QueryPath[];
  /** Undefined for a path that is not listed. */
  readonly find: (path: string, method?: string) => QueryPath | undefined;
}

/** The members of the document that are read. */
export interface GatewayDocument {
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly "x-legacy-aliases"?: Readonly<Record<string, string>>;
}

type PathItem = Readonly<Record<string, unknown>>;

interface OperationObject {
  readonly summary?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: unknown;
}

interface ParameterObject {
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly "x-multi-segment"?: boolean;
  readonly schema?: SchemaObject;
}

interface SchemaObject {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaObject[];
  readonly contentEncoding?: string;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

const accessOfScheme: Readonly<Record<string, AccessKind>> = {
  gatewayApiKey: "apiKey",
  gatewayBearer: "bearer",
  gatewayBasic: "basic",
};

export function catalogueOf(document: GatewayDocument): Catalogue {
  const present = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) =>
      queryPath(path, method.toUpperCase(), item[method] as OperationObject),
    ),
  );
  const legacy = Object.entries(document["x-legacy-aliases"] ?? {}).flatMap(([path, successor]) =>
    present.filter((each) => each.path === successor).map((each) => ({ ...each, path, successor })),
  );
  return listed([...present, ...legacy]);
}

/** Before the document has loaded, and if it is not readable. */
export const emptyCatalogue: Catalogue = listed([]);

function listed(paths: readonly QueryPath[]): Catalogue {
  return {
    paths,
    find: (path, method) => paths.find((each) => each.path === path && (method ?? each.method) === each.method),
  };
}

function queryPath(path: string, method: string, operation: OperationObject): QueryPath {
  const parameters = (operation.parameters ?? []).flatMap(parameterOf);
  const [scheme] = (operation.security ?? []).flatMap((each) => Object.keys(each));
  return {
    path,
    method,
    name: operation.summary ?? "",
    parameters: [
      ...parameters.filter(({ place }) => place === "path"),
      ...parameters.filter(({ place }) => place === "query"),
    ],
    takesBody: operation.requestBody !== undefined,
    access: scheme === undefined ? "none" : (accessOfScheme[scheme] ?? "none"),
  };
}

/** The height header is a reference, and has a separate field. */
function parameterOf(parameter: ParameterObject): readonly Parameter[] {
  const { name, in: place, description, schema = {} } = parameter;
  if (name === undefined || (place !== "path" && place !== "query")) return [];
  const choices = choicesOf(schema);
  const isMulti = parameter["x-multi-segment"] === true;
  return [{ name, place, kind: choices.length > 0 ? "choice" : kindOf(schema), choices, isMulti, description }];
}

function choicesOf(schema: SchemaObject): readonly string[] {
  const listedValues = [schema, ...(schema.anyOf ?? [])].flatMap((each) => each.enum ?? []);
  return listedValues.filter((value) => typeof value === "string");
}

function kindOf({ type, format, contentEncoding }: SchemaObject): ParameterKind {
  if (type === "array") return "list";
  if (type === "object") return "map";
  if (type === "boolean") return "boolean";
  if (contentEncoding === "base64") return "bytes";
  const isInteger = type === "integer" || /^u?int(32|64)$/.test(format ?? "");
  return isInteger ? "integer" : "text";
}
