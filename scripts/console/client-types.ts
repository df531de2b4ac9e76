/**
 * The types of the console's HTTP client, made by openapi-typescript of an OpenAPI document. The failures of an operation that have
 * one form become its `default` response, and what says nothing to a client's code is left out: a quarter of it remains.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../platform/json.ts";
import { projectRoot } from "../run-command.ts";

const HEADER = `/**
 * The types of the console's HTTP client: paths, components and operations of the OpenAPI document. Written by
 * \`npm run console-types\`; do not edit it.
 */
`;

/** It needs an older TypeScript than ours, which is next to it in the console's packages; its own types need that one too. */
const generator = createRequire(join(projectRoot, "console/package.json"))("openapi-typescript") as {
  readonly default: (document: JsonObject, options: object) => Promise<readonly object[]>;
  readonly astToString: (types: readonly object[]) => string;
};

export async function clientTypes(document: JsonObject): Promise<string> {
  const failures = new Map<string, JsonValue>();
  const paths = mapObject(document["paths"], (methods) =>
    mapObject(methods, (operation) => withOneFailure(operation, failures)),
  );
  const responses = Object.fromEntries(failures);
  const components = { schemas: schemasOf([paths, responses], objectOf(document["components"])), responses };
  // A member with a default may be left out of a request.
  const options = { silent: true, alphabetize: true, defaultNonNullable: false };
  const types = generator.astToString(await generator.default({ ...document, paths, components }, options));
  const withoutComments = types
    .replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, "")
    .replaceAll(ANY_HEADERS, "")
    .replaceAll(NOTHING, "");
  const endOfPaths = withoutComments.indexOf("\n}\n");
  const ofPaths = withoutComments.slice(0, endOfPaths).replaceAll(OTHER_METHODS, "").replaceAll(PATH_PARAMETERS, "");
  return `${HEADER}\n${ofPaths}${withoutComments.slice(endOfPaths)}`;
}

/** Those of the document that something refers to. */
function schemasOf(roots: JsonValue, { schemas }: JsonObject): JsonObject {
  const found = new Map<string, JsonValue>();
  const waiting: JsonValue[] = [roots];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name = ""] of JSON.stringify(next).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      const schema = objectOf(schemas)[name] ?? null;
      found.set(name, schema);
      waiting.push(schema);
    }
  }
  return Object.fromEntries(found);
}

const ANY_HEADERS = /^ *headers: \{\n *\[name: string\]: unknown;\n *\};\n/gm;
/** Types of what the document has none of. */
const NOTHING = /^export type .* = Record<string, never>;\n/gm;
const OTHER_METHODS = /^ {8}\w+\?: never;\n/gm;
/** Operations repeat them. */
const PATH_PARAMETERS = /^ {8}parameters: \{\n(?: {12}\w+\?: never;\n)+ {8}\};\n/gm;

/** Of the failures that have one named form, the most are the default. Their form goes to `failures`. */
function withOneFailure(operation: JsonValue, failures: Map<string, JsonValue>): JsonValue {
  const { responses: described, ...rest } = objectOf(operation);
  const responses = Object.entries(objectOf(described)).map(([status, response]) => {
    const { description = status, content } = objectOf(response);
    const forms = mapObject(content, (each) => ({ schema: objectOf(each)["schema"] }));
    const isFailure = Number(status) >= 400;
    return { status, name: isFailure ? nameOf(forms) : undefined, response: { description, content: forms } };
  });
  const byName = Map.groupBy(responses, ({ name }) => name);
  const [most] = [...byName]
    .flatMap(([name, same]) => (name === undefined ? [] : [{ name, same }]))
    .toSorted((one, other) => other.same.length - one.same.length);
  const own = responses.filter(({ name }) => name === undefined || name !== most?.name);
  const ownResponses = Object.fromEntries(own.map(({ status, response }) => [status, response]));
  if (most === undefined) return { ...rest, responses: ownResponses };
  failures.set(most.name, most.same[0]?.response ?? null);
  return { ...rest, responses: { ...ownResponses, default: { $ref: `#/components/responses/${most.name}` } } };
}

/** The name of the one schema of a response. */
function nameOf(content: JsonObject): string | undefined {
  const [only, ...more] = Object.values(content);
  const { $ref: reference } = objectOf(objectOf(only)["schema"]);
  return typeof reference === "string" && more.length === 0
    ? reference.slice(reference.lastIndexOf("/") + 1)
    : undefined;
}

function mapObject(value: JsonValue | undefined, change: (member: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(objectOf(value)).map(([name, member = null]): [string, JsonValue] => [name, change(member)]),
  );
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
