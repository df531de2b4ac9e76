/** The OpenAPI document describes exactly the existing routes. */
import { expect, test } from "vitest";
import { failure } from "../../platform/result.ts";
import { domainStatuses, verificationStatuses } from "./domain/domain.ts";
import { composeRoutes, describeRegistry } from "./router.ts";
import { registryFailure } from "./failures.ts";

interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly items?: { enum?: string[] } } }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

const { routes } = composeRoutes(async () => failure(registryFailure("internal", "no runtime")));
const document = describeRegistry() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: object };
};
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** `/v1/voters/:did` and `/1.0/identifiers/:did{.+}` in OpenAPI notation. */
const template = (path: string): string => path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, "{$1}");

test("describes every route below /v1, and no other path", () => {
  const mounted = routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/"))
    .map(({ method, path }) => `${method} ${template(path)}`);
  const documented = described.map(({ name }) => name).filter((name) => name.includes(" /v1/"));
  expect(documented.toSorted()).toEqual([...new Set(mounted)].toSorted());
});

test("each operation has its own name, a success, and problems in their media type", () => {
  const ids = described.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { name, operation } of described.filter(({ name: each }) => each.includes(" /v1/"))) {
    const statuses = Object.keys(operation.responses);
    expect([name, statuses.some((status) => status.startsWith("2"))]).toEqual([name, true]);
    expect([name, statuses]).toEqual([name, expect.arrayContaining(["401", "429", "500", "503"])]);
    expect([name, operation.security.length > 0]).toEqual([name, true]);
    for (const status of statuses.filter((each) => Number(each) >= 400)) {
      expect(Object.keys(operation.responses[status]?.content ?? {})).toEqual(["application/problem+json"]);
    }
  }
});

test("every reference resolves", () => {
  const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !Object.hasOwn(document.components.schemas, name ?? ""))).toEqual([]);
});

test("filters of a closed set list their values [RG-76]", () => {
  const parameters = document.paths["/v1/domains"]?.["get"]?.parameters ?? [];
  const valuesOf = (name: string) => parameters.find((each) => each.name === name)?.schema.items?.enum;
  expect(valuesOf("status")).toEqual(domainStatuses);
  expect(valuesOf("verificationStatus")).toEqual(verificationStatuses);
  expect(valuesOf("owner")).toBeUndefined();
});
