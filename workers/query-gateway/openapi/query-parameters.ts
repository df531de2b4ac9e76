/** What of a request message may stand in the query (contract D, sections 3 and 11), flattened to dotted names. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { JsonObject } from "../../platform/json.ts";
import { leadsOn } from "../transcoding/field-path.ts";
import { readsFromText } from "../transcoding/request/well-known.ts";
import type { Route } from "../transcoding/routes.ts";
import type { SchemaWriter } from "./message-schemas.ts";
import { notesOf } from "./notes.ts";

/** Levels of dots. Deeper names work and are not listed. */
const DEPTH = 4;

export function queryParameters({ method, variables, body }: Route, schemas: SchemaWriter): readonly JsonObject[] {
  if (body.kind === "message") return [];
  const taken = new Set(variables.map((chain) => chain.map(({ name }) => name).join(".")));
  if (body.kind === "field") taken.add(body.field.name);
  return below(method.input, "", []);

  function below(message: DescMessage, prefix: string, above: readonly DescMessage[]): readonly JsonObject[] {
    // A type that holds itself is listed once.
    if (above.includes(message) || above.length >= DEPTH) return [];
    return message.fields.flatMap((field) => {
      const name = prefix + field.name;
      return taken.has(name) ? [] : parametersOf(field, name, [...above, message]);
    });
  }

  function parametersOf(field: DescField, name: string, above: readonly DescMessage[]): readonly JsonObject[] {
    const parameter = (schema: JsonObject, more: JsonObject = {}) => [
      { name, in: "query", ...notesOf(field), ...more, schema },
    ];
    switch (field.fieldKind) {
      case "scalar":
      case "enum":
        return parameter(schemas.ofParameter(field));
      case "list":
        if (field.listKind === "message") return [];
        return parameter({ type: "array", items: schemas.ofParameter(field) }, { style: "form", explode: true });
      case "map":
        if (field.mapKind === "message") return [];
        return parameter(
          { type: "object", additionalProperties: schemas.ofParameter(field) },
          { style: "deepObject", explode: true },
        );
      case "message":
        if (readsFromText(field.message)) return parameter(schemas.ofMessage(field.message));
        return leadsOn(field) ? below(field.message, `${name}.`, above) : [];
    }
  }
}
