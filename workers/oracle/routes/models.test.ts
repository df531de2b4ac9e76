import { expect, test } from "vitest";
import { edgeOverMemory } from "../../../test/support/in-memory-objects.ts";
import { jsonOf } from "../../../test/support/oracle-edge.ts";

test("the models' list has its default", async () => {
  const { edge } = await edgeOverMemory();
  expect(await jsonOf(await edge.call("GET", "/models"))).toMatchObject({
    models: [{ id: "local", isDefault: true }],
    default: "local",
  });
});
