import { expect, test } from "vitest";
import { protocolPage } from "../test/support/oracle/protocol-page.ts";

test("docs/reference/oracle-protocol.md equals the schemas [OR-118]", async () => {
  await expect(protocolPage()).toMatchFileSnapshot("../docs/reference/oracle-protocol.md");
});
