/** The OpenAPI document against what the routes do: every declared route is called (docs/decisions/005-registry.md). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { describeRegistry } from "../../../workers/registry/openapi.ts";
import { ADMIN_TOKEN, registryEdge } from "../../support/registry-edge.ts";

interface Declared {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

const { paths } = describeRegistry() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Declared>>>>;
};
const edge = registryEdge({ DATABASE: env.DATABASE, REGISTRY_WEBHOOK_HOSTS: "hooks.test" });
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const underV1 = operations.filter(({ path }) => path.startsWith("/v1/"));

let key = "";
beforeAll(async () => {
  key = await edge.keyOf(
    "did:key:z6MkAll",
    ["domains:read", "domains:write", "verification:propose", "verification:vote", "registry:admin"],
    { role: "program" },
  );
});

/** The path with something that has the right form in each place. */
const filled = (path: string) =>
  path
    .replaceAll("{id}", `did:ixo:entity:${"0".repeat(32)}`)
    .replaceAll("{did}", "did:key:z6MkSome")
    .replaceAll("{name}", "reporting")
    .replaceAll("{list}", "service")
    .replaceAll(/\{\w+\}/g, "some");

function call({ method, path, operation }: (typeof operations)[number], query = "") {
  const isOperators = operation.security.some((schemes) => Object.hasOwn(schemes, "adminToken"));
  const hasBody = method !== "GET" && method !== "DELETE";
  return edge.call(method, `${filled(path)}${query}`, {
    key: isOperators ? ADMIN_TOKEN : key,
    headers: { "If-Match": "*" },
    ...(hasBody ? { body: {} } : {}),
  });
}

test("there are routes to call", () => {
  expect(underV1.length).toBeGreaterThan(45);
});

describe("an unknown parameter is refused [RG-30, RG-1]", () => {
  test.each(underV1.map((each) => [`${each.method} ${each.path}`, each] as const))("%s", async (_, each) => {
    const response = await call(each, "?foo=1");
    const body = await response.json<{ code: string; errors: { parameter: string }[] }>();
    expect([response.status, body.code, body.errors[0]?.parameter]).toEqual([400, "unknown_parameter", "foo"]);
    expect(Object.keys(each.operation.responses)).toContain("400");
  });
});
