import { testOracle } from "twinedge/oracle/testing";
import { expect, test } from "vitest";
import stoves from "./oracle.ts";

test("a stove is found by its id, and another id is refused with an explanation", async () => {
  const oracle = await testOracle(stoves.options);
  const found = await oracle.say('/tool find_stove {"id":"KE-0042"}');
  expect(found.toolCalls).toMatchObject([{ name: "find_stove", output: { id: "KE-0042", cookedHours: 32 } }]);
  const refused = await oracle.say('/tool find_stove {"id":"42"}');
  expect(JSON.stringify(refused.toolCalls)).toContain("must be like KE-0042");
});
