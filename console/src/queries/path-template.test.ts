/** Paths from templates and back, with the encodings that the gateway reads (QG-7). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { catalogueOf } from "./gateway-catalogue.ts";
import { filledPath, recognise } from "./path-template.ts";

const id = { name: "id", in: "path", schema: { type: "string" } };
const multi = { name: "denom", in: "path", "x-multi-segment": true, schema: { type: "string" } };
const { paths } = catalogueOf({
  paths: {
    "/ixo/entity": { get: { summary: "a.Query/List" } },
    "/ixo/entity/{id}": { get: { summary: "a.Query/One", parameters: [id] } },
    "/ixo/entity/params": { get: { summary: "a.Query/Params" } },
    "/ixo/entity/{id}/metadata": { get: { summary: "a.Query/Meta", parameters: [id] } },
    "/ibc/denoms/{denom}": { get: { summary: "b.Query/Denom", parameters: [multi] } },
    "/ibc/denoms/{denom}/total": { get: { summary: "b.Query/Total", parameters: [multi] } },
    "/ids/{ids}": { get: { parameters: [{ name: "ids", in: "path", schema: { type: "array" } }] } },
  },
  "x-legacy-aliases": { "/rest/ixo/entity/{id}": "/ixo/entity/{id}" },
});

test.each([
  ["/ixo/entity/params", "/ixo/entity/params", {}],
  ["/ixo/entity/params/metadata", "/ixo/entity/{id}/metadata", { id: ["params"] }],
  ["/ixo/entity/did:ixo:entity:abc", "/ixo/entity/{id}", { id: ["did:ixo:entity:abc"] }],
  ["/ixo/entity/a%2Fb", "/ixo/entity/{id}", { id: ["a/b"] }],
  ["/ixo/entity/", "/ixo/entity/{id}", { id: [""] }],
  ["/rest/ixo/entity/x", "/rest/ixo/entity/{id}", { id: ["x"] }],
  ["/ibc/denoms/a/b", "/ibc/denoms/{denom}", { denom: ["a/b"] }],
  ["/ibc/denoms/a/b/total", "/ibc/denoms/{denom}/total", { denom: ["a/b"] }],
  ["/ids/1,2", "/ids/{ids}", { ids: ["1", "2"] }],
])("%s is recognised as %s [CN-152]", (path, template, values) => {
  expect(recognise(paths, path)).toMatchObject({ query: { path: template }, values });
});

test.each(["/ixo/entities", "/ixo/entity/a/b/c", "/ixo/entity/%zz", "/"])("%s matches no template [CN-152]", (path) => {
  expect(recognise(paths, path)).toBeUndefined();
});

test("any value survives its path [CN-152]", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (text) => {
      const template = "/ixo/entity/{id}/metadata";
      const query = paths.find((each) => each.path === template);
      const path = filledPath(template, { id: [text] }, query?.parameters ?? []);
      expect(recognise(paths, path)).toMatchObject({ query: { path: template }, values: { id: [text] } });
    }),
  );
});

test("a DID stays readable in a path [CN-152]", () => {
  expect(filledPath("/ixo/entity/{id}", { id: ["did:ixo:entity:a b/c"] }, [])).toBe(
    "/ixo/entity/did:ixo:entity:a%20b%2Fc",
  );
});
