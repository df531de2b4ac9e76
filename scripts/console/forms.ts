/**
 * The JSON Schemas with which the console validates entries before sending them: the request bodies in our OpenAPI document, each
 * self-contained, without the parts that validation does not need.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../platform/json.ts";

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** The forms of the console, each with the operation whose body it fills in. */
const bodies: Readonly<Record<string, string>> = {
  "create-domain": "createDomain",
  "update-domain": "updateDomain",
  "create-proposal": "createProposal",
  "cast-vote": "castVote",
  "put-voter": "putVoter",
  "create-webhook": "createWebhook",
  "create-api-key": "createApiKey",
};

/** Schemas by file name, without an extension. */
export function forms(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const schemas = objectAt(document, "components", "schemas");
  const operations = Object.values(objectAt(document, "paths")).flatMap((methods) =>
    Object.values(methods as JsonObject),
  );
  const bodyOf = (id: string): JsonObject => {
    const operation = operations.find((each) => isJsonObject(each) && each["operationId"] === id);
    const [content] = Object.values(objectAt(operation, "requestBody", "content"));
    return objectAt(content, "schema");
  };
  return new Map(Object.entries(bodies).map(([name, id]) => [name, withDefinitions(bodyOf(id), schemas)] as const));
}

/** The schema with its referenced schemas, so that it needs no other file. */
function withDefinitions(schema: JsonObject, schemas: JsonObject): JsonObject {
  const $defs: Record<string, JsonValue> = {};
  const own = rebased(schema);
  return { $schema: DRAFT, ...(own as JsonObject), ...(Object.keys($defs).length === 0 ? {} : { $defs }) };

  function rebased(value: JsonValue | undefined): JsonValue {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map(rebased);
    if (!isJsonObject(value)) return value ?? null;
    const { $ref: reference } = value;
    if (typeof reference !== "string") return mapMembers(value, rebased);
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = null;
      $defs[name] = rebased(objectAt(schemas, name));
    }
    return { $ref: `#/$defs/${name}` };
  }
}

/** Removes prose, which is a text; a property with such a name is a schema. */
function mapMembers(value: JsonObject, change: (member: JsonValue | undefined) => JsonValue): JsonObject {
  const members = Object.entries(value).filter(
    ([name, member]) => !((name === "description" || name === "example") && !isJsonObject(member)),
  );
  return Object.fromEntries(members.map(([name, member]): [string, JsonValue] => [name, change(member)]));
}

/** @throws Error if the document has no such object, so that a form is never empty by mistake. */
function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const found = path.reduce<JsonValue | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
  if (!isJsonObject(found)) throw new Error(`the document has no ${path.join(".")} where a form needs it`);
  return found;
}
