/** The form, its address, and its request. */
import { expect, test } from "vitest";
import { catalogueOf, type GatewayDocument } from "./gateway-catalogue.ts";
import { messageOf } from "./code-samples.ts";
import { accessHeaders, requestOf } from "./gateway-request.ts";
import {
  emptyForm,
  formOfPath,
  formOfSearch,
  formOfText,
  isSent,
  parametersOf,
  problemsOf,
  searchOfForm,
} from "./query-form.ts";

const document: GatewayDocument = {
  paths: {
    "/ixo/claims/claims": {
      get: {
        summary: "ixo.claims.v1beta1.Query/ClaimList",
        parameters: [
          { name: "pagination.key", in: "query", schema: { type: "string", contentEncoding: "base64" } },
          { name: "pagination.limit", in: "query", schema: { type: "string", format: "uint64" } },
          { name: "pagination.reverse", in: "query", schema: { type: "boolean" } },
          { $ref: "#/components/parameters/BlockHeight" },
        ],
      },
    },
    "/ixo/claims/claim/{id}": {
      get: { summary: "ixo.claims.v1beta1.Query/Claim", parameters: [{ name: "id", in: "path", schema: {} }] },
    },
    "/roles": {
      get: {
        security: [{ gatewayApiKey: [] }],
        parameters: [
          { name: "role", in: "query", schema: { anyOf: [{ enum: ["A", "B"] }, { type: "integer" }] } },
          { name: "ids", in: "query", schema: { type: "array" } },
          { name: "m", in: "query", schema: { type: "object" } },
        ],
      },
      post: { requestBody: {} },
    },
  },
  "x-legacy-aliases": { "/ixo/claim/{id}": "/ixo/claims/claim/{id}", "/gone": "/not/there" },
};
const catalogue = catalogueOf(document);

test("parameters have the kinds of their schemas, and the height is a separate field [CN-153]", () => {
  const kinds = (path: string) => catalogue.find(path)?.parameters.map(({ name, kind }) => `${name} ${kind}`);
  expect(kinds("/ixo/claims/claims")).toEqual([
    "pagination.key bytes",
    "pagination.limit integer",
    "pagination.reverse boolean",
  ]);
  expect(kinds("/roles")).toEqual(["role choice", "ids list", "m map"]);
  expect(catalogue.find("/roles")?.parameters[0]?.choices).toEqual(["A", "B"]);
  expect(catalogue.find("/roles", "POST")).toMatchObject({ takesBody: true, access: "none" });
});

test("a path of an older release has the parameters of its successor [CN-155]", () => {
  expect(catalogue.find("/ixo/claim/{id}")).toMatchObject({
    successor: "/ixo/claims/claim/{id}",
    name: "ixo.claims.v1beta1.Query/Claim",
    parameters: [{ name: "id", place: "path" }],
  });
  expect(catalogue.find("/gone")).toBeUndefined();
});

test("a form survives its address [CN-151]", () => {
  const form = {
    method: "POST",
    path: "/a/{path}",
    values: { path: ["x y"], "pagination.limit": ["5"], ids: ["1", "2"], sent: ["no"] },
    height: "7",
    deadline: "500",
    access: "bearer" as const,
    body: `{"a":"&="}`,
  };
  const search = new URLSearchParams(String(searchOfForm(form, true)));
  expect(formOfSearch(search)).toEqual(form);
  expect(isSent(search)).toBe(true);
  expect(isSent(searchOfForm(form, false))).toBe(false);
  expect(String(searchOfForm(emptyForm, false))).toBe("");
  expect(formOfSearch(new URLSearchParams("access=admin"))).toEqual(emptyForm);
});

test.each([
  ["/ixo/claims/claims", { path: "/ixo/claims/claims", values: {} }],
  ["http://elsewhere.example/ixo/claim/5?x=1#y", { path: "/ixo/claim/{id}", values: { id: ["5"], x: ["1"] } }],
  ["ixo/claims/claims?pagination.limit=2", { path: "/ixo/claims/claims", values: { "pagination.limit": ["2"] } }],
  ["/unknown/a?b=1&b=2", { path: "/unknown/a", values: { b: ["1", "2"] } }],
  ["  ", { path: "" }],
])("%s is understood when it is typed or pasted [CN-152]", (text, expected) => {
  expect(formOfText(text, emptyForm, catalogue)).toMatchObject(expected);
});

test("selecting a path keeps the values that it has parameters for, and uses its own access [CN-153]", () => {
  const before = { ...emptyForm, values: { id: ["5"], "pagination.limit": ["2"] }, body: "{}" };
  const list = catalogue.find("/ixo/claims/claims");
  const roles = catalogue.find("/roles");
  if (list === undefined || roles === undefined) throw new Error("the catalogue has both");
  expect(formOfPath(list, before)).toMatchObject({ values: { "pagination.limit": ["2"] }, body: "", access: "none" });
  expect(formOfPath(roles, before)).toMatchObject({ values: {}, access: "apiKey" });
});

test("a form becomes a request below this origin, whatever its path [CN-153]", () => {
  const form = {
    ...emptyForm,
    path: "/roles",
    values: { role: ["A"], ids: ["1", "a b+c", ""], m: ["k=v=w"], other: ["é"] },
    height: "42",
    deadline: "50",
  };
  expect(requestOf(form, parametersOf(form, catalogue))).toEqual({
    method: "GET",
    target: "/roles?role=A&ids=1&ids=a%20b%2Bc&m%5Bk%5D=v%3Dw&other=%C3%A9",
    headers: { "x-cosmos-block-height": "42", "Grpc-Timeout": "50m" },
    access: "none",
  });
  expect(requestOf({ ...emptyForm, path: "//evil.example/x" }, []).target).toBe("/evil.example/x");
  expect(requestOf({ ...emptyForm, path: ".evil.example" }, []).target).toBe("/.evil.example");
});

test("missing values and invalid numbers are reported before sending [CN-153]", () => {
  const claim = { ...emptyForm, path: "/ixo/claims/claim/{id}" };
  expect(problemsOf(claim, parametersOf(claim, catalogue))).toEqual({ id: "missing" });
  const list = {
    ...emptyForm,
    path: "/ixo/claims/claims",
    values: { "pagination.limit": ["1e3"], "pagination.key": ["?"] },
    height: "-1",
  };
  expect(problemsOf(list, parametersOf(list, catalogue))).toEqual({
    "pagination.limit": "notInteger",
    "pagination.key": "notBase64",
    height: "notInteger",
  });
});

test.each([
  ["none", "s", {}],
  ["apiKey", "", {}],
  ["apiKey", "s", { "X-API-Key": "s" }],
  ["bearer", "s", { Authorization: "Bearer s" }],
  ["basic", "ü:p", { Authorization: "Basic w7w6cA==" }],
] as const)("the way in %s with the key %j is %j [CN-156]", (access, secret, headers) => {
  expect(accessHeaders(access, secret)).toEqual(headers);
});

test("invented names in an address change only the query: no object of the page, no method, no code [CN-191]", () => {
  const hostile =
    "path=/ixo/claims/claims/{constructor}&method=DELETE$(id)&p.__proto__.polluted=1&p.constructor.prototype.polluted=2&p.a=1&p.a.b=2";
  const form = formOfSearch(new URLSearchParams(hostile));
  const parameters = parametersOf(form, catalogue);
  expect(form.method).toBe("GET");
  expect(problemsOf(form, parameters)).toMatchObject({ constructor: "missing" });
  expect(requestOf(form, parameters).target).toMatch(/^\/ixo\/claims\/claims\/\?/);
  expect(JSON.parse(JSON.stringify(messageOf(form, parameters)))).toMatchObject({ a: "1" });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
