/** The requests of each telecom gateway, and how it reads replies. */
import { expect, test } from "vitest";
import { formatOf, type FormatName, type Step } from "./gateway-formats.ts";

const dial: Step = {
  sessionId: "s/1",
  phoneNumber: "+260971230001",
  serviceCode: "*2233#",
  text: "",
  isDial: true,
  sequence: 1,
};
const later: Step = { ...dial, text: "2*1", isDial: false, sequence: 2 };

test.each<[FormatName, Step, string, string | undefined]>([
  [
    "json",
    later,
    "POST /api/ussd",
    '{"sessionId":"s/1","serviceCode":"*2233#","phoneNumber":"+260971230001","text":"2*1"}',
  ],
  ["form", later, "POST /api/ussd", "sessionId=s%2F1&serviceCode=*2233%23&phoneNumber=%2B260971230001&text=2*1"],
  [
    "africas-talking",
    dial,
    "POST /api/ussd/providers/africas-talking",
    "sessionId=s%2F1&serviceCode=*2233%23&phoneNumber=%2B260971230001&text=&networkCode=64501",
  ],
  [
    "hubtel",
    dial,
    "POST /api/ussd/providers/hubtel",
    '{"Type":"Initiation","SessionId":"s/1","ServiceCode":"2233","Mobile":"260971230001","Message":"*2233#","Sequence":1}',
  ],
  [
    "hubtel",
    { ...dial, text: "2*1" },
    "POST /api/ussd/providers/hubtel",
    '{"Type":"Initiation","SessionId":"s/1","ServiceCode":"2233","Mobile":"260971230001","Message":"*2233*2*1#","Sequence":1}',
  ],
  [
    "infobip",
    { ...later, text: "1" },
    "POST /api/ussd/providers/infobip/session/s%2F1/response",
    '{"msisdn":"260971230001","shortCode":"*2233#","text":"1"}',
  ],
  [
    "airtel",
    dial,
    "GET /api/ussd/providers/airtel?SessionID=s%2F1&MSISDN=260971230001&input=2233&serviceCode=*2233%23",
    undefined,
  ],
])("%s sends its own fields", (name, step, line, body) => {
  const request = formatOf(name).request(step);
  expect([`${request.method} ${request.path}`, request.body]).toEqual([line, body]);
});

const menu = { kind: "CON", body: "a\nb" };
const closing = { kind: "END", body: "" };

test.each<[FormatName, string, Record<string, string>, object | undefined]>([
  ["json", "CON a\nb", {}, menu],
  ["form", "END ", {}, closing],
  ["africas-talking", "CONa", {}, undefined],
  ["hubtel", '{"Type":"response","Message":"a\\nb"}', {}, menu],
  ["hubtel", '{"Type":"other","Message":"a"}', {}, undefined],
  ["hubtel", "null", {}, undefined],
  ["infobip", '{"shouldClose":true,"ussdMenu":""}', {}, closing],
  ["infobip", '{"shouldClose":"true","ussdMenu":""}', {}, undefined],
  ["airtel", "a\nb", { Freeflow: "FC" }, menu],
  ["airtel", "a", {}, undefined],
])("%s reads %s", (name, text, headers, reply) => {
  expect(formatOf(name).reply(text, new Headers(headers))).toEqual(reply);
});
