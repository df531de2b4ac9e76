import { expect, test } from "vitest";
import * as entry from "./index.ts";

const established =
  "IDLE_RUN_STATE OraclesProvider renderMessageContent useAgAction useChat useModels useOracleSessions useOraclesConfig useOraclesContext";
const ours = "useAgActions useMessage";

test("the entry exports the functions of the established client and ours, nothing else [SD-138]", () => {
  expect(Object.keys(entry).toSorted()).toEqual(`${established} ${ours}`.split(" ").toSorted());
});
