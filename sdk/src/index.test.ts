import { expect, test } from "vitest";
import * as entry from "./index.ts";

const established = `OraclesProvider useOraclesContext useChat useOracleSessions useOraclesConfig useModels useAgAction useContractOracle
  useMemoryEngine useGetOpenIdToken getOpenIdToken renderMessageContent IDLE_RUN_STATE useLiveAgent`;
const ours = "useAgActions useMessage";

test("the entry exports only the functions of the established client and ours [SD-138]", () => {
  expect(Object.keys(entry).toSorted()).toEqual(`${established} ${ours}`.split(/\s+/).toSorted());
});
