/** The output of `npm start`: each surface with its paths, and something to try for each. */
import { expect, test } from "vitest";
import { surfaces } from "../../workers/surfaces.ts";
import { announcement } from "./announcement.ts";

const printed = announcement({
  base: "http://localhost:3000",
  stateFolder: ".wrangler/state",
  healthStatus: 200,
  hasConsole: true,
  faults: [],
  warnings: ["A model that costs money answers everybody"],
  oracleDid: "did:key:z6Mk",
  secretsAdded: [],
  developmentKey: "KEY-OF-THIS-MACHINE",
});
const lines = printed.split("\n");

test.each(surfaces.map(({ title }) => title))("%s is listed with its own paths", (title) => {
  const line = lines.find((each) => each.includes(`${title} `)) ?? "";
  expect(line).toMatch(/http:\/\/localhost:3000 {2}\/\w/);
});

test("the console's address comes first, before every surface [CN-10]", () => {
  const [first] = lines.filter((line) => line.trim() !== "");
  expect(first).toMatch(/^ {2}Console {2,}http:\/\/localhost:3000\/console$/);
});

test("every surface has something to try", () => {
  const tried = (path: string) => lines.filter((line) => line.includes(`curl http://localhost:3000${path}`)).length;
  expect(["/models", "/v1/domains", "/api/ussd", "/ixo/token/params"].map(tried)).toEqual([1, 1, 2, 1]);
  expect(printed).toContain("Bearer KEY-OF-THIS-MACHINE");
  expect(printed).toContain("  npm run ussd\n");
});

test("GraphiQL and the development key are named", () => {
  expect(printed).toMatch(/GraphiQL +http:\/\/localhost:3000\/graphql/);
  expect(printed).toMatch(/Development API key +KEY-OF-THIS-MACHINE/);
  expect(printed).toContain("  npm run token\n");
});

test("a server that is not healthy says why", () => {
  const sick = announcement({
    base: "http://localhost:4000",
    stateFolder: "x",
    healthStatus: 503,
    hasConsole: false,
    warnings: [],
    faults: ["LLM_TIMEOUT_MS must be a whole number, such as 60000 (oracle)"],
    oracleDid: undefined,
    secretsAdded: ["ADMIN_TOKEN"],
    developmentKey: undefined,
  });
  expect(sick).toContain("Not healthy (503):\n  LLM_TIMEOUT_MS must be a whole number, such as 60000 (oracle)\n");
  expect(sick).not.toContain("see http://localhost:4000/health");
  expect(sick).toContain("npm run token -- --url http://localhost:4000\n");
  expect(sick).toContain("ADMIN_TOKEN");
  expect(sick, "a console that is off").not.toContain("/console");
  expect(sick).toContain("npm run ussd -- --url http://localhost:4000\n");
});

test("required changes for the operator come before suggestions [OR-462]", () => {
  expect(lines.indexOf("Warning: A model that costs money answers everybody.")).toBe(lines.indexOf("Try:") - 2);
});
