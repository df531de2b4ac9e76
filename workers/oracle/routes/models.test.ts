import { expect, test } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle-objects-in-node.ts";
import { jsonOf } from "../../../test/support/oracle-edge.ts";

test("the models' list has its default [OR-6]", async () => {
  const { edge } = await edgeOverObjects();
  expect(await jsonOf(await edge.call("GET", "/models"))).toMatchObject({
    models: [{ id: "local", isDefault: true }],
    default: "local",
  });
});
