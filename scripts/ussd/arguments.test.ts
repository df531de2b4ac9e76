import { describe, expect, test } from "vitest";
import { formatOf } from "../../shared/gateway-formats.ts";
import { ussdCommand } from "./arguments.ts";

const parse = (line: string, environment = {}) => ussdCommand.parse(line.split(" ").filter(Boolean), environment);

test("without arguments, a phone sends JSON to this machine", () => {
  expect(parse("")).toEqual({
    url: "http://localhost:3000",
    phoneNumber: undefined,
    serviceCode: undefined,
    format: formatOf("json"),
    mode: undefined,
    task: { kind: "phone" },
  });
});

test("the phone's options", () => {
  expect(parse("--form --latest-only --phone +260971230002 --code *1# --url https://edge.example/base/")).toMatchObject(
    {
      url: "https://edge.example/base",
      phoneNumber: "+260971230002",
      serviceCode: "*1#",
      format: formatOf("form"),
      mode: "latest",
    },
  );
  expect(parse("--provider hubtel")).toMatchObject({ format: formatOf("hubtel"), mode: "latest" });
  expect(parse("", { PORT: "4000" })).toMatchObject({ url: "http://localhost:4000" });
});

test("a replay", () => {
  expect(parse("--replay-file a.yaml --replay-file b.yaml --flow x --set id=C=1 --pause 0")).toMatchObject({
    task: { kind: "replay", files: ["a.yaml", "b.yaml"], flows: ["x"], values: new Map([["id", "C=1"]]), pauseMs: 0 },
  });
  // Longer than USSD_REPLAY_WINDOW_MS.
  expect(parse("--replay-file a.yaml")).toMatchObject({ task: { pauseMs: 3_500 } });
});

test.each(["--help", "-h", "--form --help"])("%s requests help", (line) => {
  expect(parse(line)).toBe("help");
});

describe("wrong usage is reported in one sentence", () => {
  test.each<[string, RegExp]>([
    ["word", /word/],
    ["--nonsense", /nonsense/],
    ["--url ftp://x", /http/],
    ["--form --provider hubtel", /either/],
    ["--phone abc", /--phone takes a number such as \+260971230001, not "abc"/],
    ["--provider unknown", /africas-talking, airtel, hubtel, infobip/],
    ["--provider africas-talking --latest-only", /no --latest-only/],
    ["--flow x", /--replay-file/],
    ["--set a=b", /--replay-file/],
    ["--pause 1", /--replay-file/],
    ["--replay-file f --set a", /NAME=VALUE/],
    ["--replay-file f --set 1=a", /NAME=VALUE/],
    ["--replay-file f --pause soon", /milliseconds/],
  ])("%s", (line, message) => {
    const parsed = parse(line);
    expect(parsed).toBeInstanceOf(Error);
    expect((parsed as Error).message).toMatch(message);
  });

  test("an invalid PORT", () => {
    expect(parse("", { PORT: "http" })).toBeInstanceOf(Error);
  });
});
