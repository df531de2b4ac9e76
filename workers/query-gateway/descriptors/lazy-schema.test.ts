/** The descriptor set read in parts equals the set read as a whole, and only needed parts are read. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { defaultRouteOptions, fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { defaultLimits } from "../transcoding/limits.ts";
import { planRoutes, type Route } from "../transcoding/routes.ts";
import { openSchema } from "./lazy-schema.ts";
import { loadSchema, type Schema } from "./schema.ts";

const options = { ...defaultRouteOptions, legacyPrefixes: ["rest/ixo"] };
const planned = ({ methods }: Schema) => planRoutes(methods, options, defaultLimits);

/** Everything of a route that decides about a request, without the descriptors themselves. */
function described({ template, httpMethod, method, variables, body, response, isAlias, successor }: Route): unknown {
  return {
    template,
    httpMethod,
    method: `${method.parent.typeName}/${method.name} ${method.input.typeName} ${method.output.typeName}`,
    kind: method.methodKind,
    variables: variables.map((chain) => chain.map(({ parent, name }) => `${parent.typeName}.${name}`)),
    body: body.kind === "field" ? body.field.name : body.kind,
    response: response.kind === "field" ? response.field.name : response.kind,
    isAlias,
    successor: successor?.template.text,
  };
}

describe.each([
  ["the built-in descriptor set", ixoImage()],
  ["the fixture's", fixtureImage()],
])("%s", (_, image) => {
  const whole = loadSchema(image);

  test("has equal methods and rules, in equal order", () => {
    const opened = openSchema(image);
    const rows = ({ methods }: Schema) => methods.map(({ path, rules }) => ({ path, rules }));
    expect(rows(opened)).toEqual(rows(whole));
    expect(opened.excluded).toEqual(whole.excluded);
    expect(opened.methods.every(({ isChecked }) => isChecked)).toBe(true);
  });

  test("has equal routes, and every rule fits its messages [QG-123]", () => {
    const [ours, theirs] = [planned(openSchema(image)), planned(whole)];
    expect(ours.refused).toEqual([]);
    expect(theirs.refused).toEqual([]);
    expect(ours.routes.map(described)).toEqual(theirs.routes.map(described));
  });

  test("has equal types [QG-123]", () => {
    const { registry } = openSchema(image);
    for (const type of whole.registry) {
      const found = registry.get(type.typeName);
      expect([found?.kind, found?.toString()]).toEqual([type.kind, type.toString()]);
      expect(found?.proto).toEqual(type.proto);
    }
    const [extension] = [...whole.registry].filter(({ kind }) => kind === "extension");
    const [extendee, number] = extension?.kind === "extension" ? [extension.extendee, extension.number] : [];
    if (extendee === undefined || number === undefined) throw new Error("the image has no extension");
    expect(registry.getExtensionFor(extendee, number)).toBe(registry.getExtension(extension?.typeName ?? ""));
    expect([...registry].length).toBe([...whole.registry].length);
    for (const name of ["x", "", "ixo", "ixo.token.v1beta1", "ixo.token.v1beta1.Nope", "google.protobuf"])
      expect(registry.get(name)).toBeUndefined();
    expect(registry.getEnum("google.protobuf.Any")).toBeUndefined();
    expect(registry.getService("gwtest.v1.T")?.typeName).toBe(whole.registry.getService("gwtest.v1.T")?.typeName);
  });
});

/** The set with one more file, whose messages are invalid. */
function withBrokenFile(): Uint8Array {
  const file = new BinaryWriter().tag(1, WireType.LengthDelimited).string("broken.proto");
  file.tag(2, WireType.LengthDelimited).string("broken").tag(4, WireType.LengthDelimited).bytes(Uint8Array.of(255));
  const set = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(file.finish());
  return Uint8Array.from([...ixoImage(), ...set.finish()]);
}

test("does not read a file that no request needs", () => {
  const { registry, methods } = openSchema(withBrokenFile());
  expect(registry.getMessage("ixo.token.v1beta1.Params")?.fields).toHaveLength(1);
  expect(methods[0]?.method.input.typeName).toBe(loadSchema(ixoImage()).methods[0]?.method.input.typeName);
  expect(() => registry.getMessage("broken.X")).toThrow(Error);
});

test("refuses bytes that are not a descriptor set", () => {
  expect(openSchema(new Uint8Array()).methods).toEqual([]);
  expect(() => openSchema(ixoImage().subarray(0, 1000))).toThrow(Error);
  expect(() => openSchema(new TextEncoder().encode("<html>"))).toThrow(Error);
});

test("does not read the set before the first request to the gateway", async () => {
  const image = new TextEncoder().encode("<html>");
  const { ask } = gatewayEdge({ image, source: entitiesInNode() });
  expect((await ask("/")).status).toBe(200);
  expect((await ask("/health")).body.gateway).toMatchObject({ status: "ok" });
  const { status, body } = await ask("/ixo/token/params");
  expect([status, body.code]).toEqual([500, 13]);
});
