/** The shared part of the configuration: hosts as operators write them. */
import { expect, test } from "vitest";
import { readPagesConfig } from "./config.ts";

const read = (SURFACE_HOSTS: string) => readPagesConfig({ SURFACE_HOSTS } as unknown as Env);

test("hosts are compared in URL form, in lower case [ALL-3]", () => {
  const config = read('{"Chat.Example.ORG":["oracle"],"edge.example:8080":["registry","ussd"]}');
  expect(config.ok && config.value.SURFACE_HOSTS).toEqual({
    "chat.example.org": ["oracle"],
    "edge.example:8080": ["registry", "ussd"],
  });
});

test.each([
  ['{"chat.example":["oracle"],"Chat.example":["ussd"]}', "must name each host once"],
  ['["chat.example"]', "must map each host to a list of surfaces"],
  ["{", "must be JSON"],
])("%s is refused [ALL-4]", (text, message) => {
  const example = '{"chat.example.org":["oracle"],"api.example.org":["registry"]}';
  expect(read(text)).toEqual({ ok: false, error: [{ variable: "SURFACE_HOSTS", message, example }] });
});
