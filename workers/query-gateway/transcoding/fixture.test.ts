import { describe, expect, test } from "vitest";
import { compileFixture, fixtureImage } from "../../../test/support/gateway-fixture.ts";
import { createTranscoder } from "../../../test/support/gateway-calls.ts";

describe("the fixture's image", () => {
  test("is what its source compiles to", () => {
    expect(fixtureImage(), "write what compileFixture() returns to test/support/gwtest.binpb").toEqual(
      compileFixture(),
    );
  });

  test("has no route that is refused or shadowed", () => {
    const { plan } = createTranscoder(fixtureImage());
    expect(plan.refused).toEqual([]);
    expect(plan.table.shadowed).toEqual([]);
  });
});
