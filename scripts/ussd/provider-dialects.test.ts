/** The providers as the phone plays them, against the gateway's adapters. */
import { describe, expect, test } from "vitest";
import { africasTalking } from "../../workers/ussd/http/providers/africas-talking.ts";
import { airtel } from "../../workers/ussd/http/providers/airtel.ts";
import { hubtel } from "../../workers/ussd/http/providers/hubtel.ts";
import { infobip } from "../../workers/ussd/http/providers/infobip.ts";
import { providerDialects } from "./provider-dialects.ts";

const caller = { sessionId: "s/1", phoneNumber: "+260971230001", serviceCode: "*2233#" };
const adapters = { "africas-talking": africasTalking, airtel, hubtel, infobip };

describe.each(Object.entries(adapters))("%s", (name, adapter) => {
  const dialect = providerDialects[name as keyof typeof providerDialects];
  const heard = (text: string, isDial: boolean) => {
    const { path, body = "", method } = dialect.request({ ...caller, text, isDial, sequence: 7 });
    expect(adapter.methods).toContain(method);
    const { pathname, search } = new URL(path, "http://phone.test");
    const below = pathname.slice(`/providers/${name}`.length);
    const call = adapter.parse({ path: below, query: search.slice(1), body }, []);
    return { call, reply: (kind: "CON" | "END") => adapter.print({ kind, body: "Two\nlines" }, call) };
  };

  test.each([
    ["", true],
    ["2*1", true],
    ["1", false],
    ["John & Söhne + *", false],
  ])("%j is heard as it was sent", (text, isDial) => {
    expect(heard(text, isDial).call).toMatchObject({ ...caller, text, mode: dialect.mode });
  });

  test.each(["CON", "END"] as const)("%s is read as it was printed", (kind) => {
    const { body, headers } = heard("1", false).reply(kind);
    expect(dialect.reply(body, new Headers(headers))).toEqual({ kind, body: "Two\nlines" });
  });

  test.each(["<html>", "{}", ""])("%j is no reply", (text) => {
    expect(dialect.reply(text, new Headers())).toBeUndefined();
  });
});
