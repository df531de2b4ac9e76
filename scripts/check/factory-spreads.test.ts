import { expect, test } from "vitest";
import { factorySpreads } from "./factory-spreads.ts";

const fault = "a.ts:1: name the members that createQueue receives, in place of a spread object";

test.each([
  ["createQueue({ ...options, sql })", [fault]],
  ["createQueue(sql, { ...options.queue })", [fault]],
  ["createQueue({ ...settingsOf(env) })", [fault]],
  ["createQueue({ ...(isLive ? options : {}) })", [fault]],
  ["createQueue({ ...(isLive && { ...options }) })", [fault]],
  ["const f = () => openCall({ ...process, url })", [fault.replace("createQueue", "openCall")]],
])("a spread that hides a part's parameters is refused: %s", (text, faults) => {
  expect(factorySpreads("a.ts", text)).toEqual(faults);
});

test.each([
  "createQueue({ sql, now: options.now })",
  "createQueue({ sql, ...(key === undefined ? {} : { key }), ...(isLive && { log }) })",
  "createQueue({ limits: { ...limits, turns: 1 } })",
  "put({ ...record, name })",
  "const merged = { ...one, ...other };",
])("named members, optional members and records of data pass: %s", (text) => {
  expect(factorySpreads("a.ts", text)).toEqual([]);
});

test("the reported line is the spread's", () => {
  expect(factorySpreads("a.ts", "createQueue({\n  sql,\n  ...options,\n});")).toEqual([fault.replace(":1:", ":3:")]);
});
