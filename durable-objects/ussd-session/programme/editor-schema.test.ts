/** menu-file.schema.json is generated from the schema that the gateway reads, and accepts the files that the gateway accepts. */
import { Validator } from "@cfworker/json-schema";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { defaultMenu, orders } from "../../../test/support/ussd/programme/menu-files.ts";
import { menuFileSchema } from "./menu-file.ts";

function editorSchema(): object {
  const schema = z.toJSONSchema(menuFileSchema, { io: "input", target: "draft-7", reused: "ref" });
  return { ...schema, title: "A menu file of the phone gateway" };
}

test("the JSON Schema for editors is the gateway's own [PH-151]", async () => {
  await expect(`${JSON.stringify(editorSchema(), null, 2)}\n`).toMatchFileSnapshot("./menu-file.schema.json");
});

test("an editor accepts the menus that ship, and marks a wrong member [PH-151]", () => {
  const validator = new Validator(editorSchema(), "7");
  for (const source of [defaultMenu, orders]) expect(validator.validate(parse(source)).errors).toEqual([]);
  expect(validator.validate(parse(orders.replace("start: main", "begin: main"))).valid).toBe(false);
  expect(validator.validate(parse(orders.replace("failed: later", "fails: later"))).valid).toBe(false);
});
