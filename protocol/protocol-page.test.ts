import { expect, test } from "vitest";
import { protocolPage } from "../test/support/protocol-page.ts";

test("docs/reference/oracle-protocol.md is what the schemas say", async () => {
  await expect(protocolPage()).toMatchFileSnapshot("../docs/reference/oracle-protocol.md");
});
