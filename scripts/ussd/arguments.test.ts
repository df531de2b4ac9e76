import { describe, expect, test } from "vitest";
import { parseUssd } from "./arguments.ts";
import { formDialect, jsonDialect } from "./dialect.ts";
import { providerDialects } from "./provider-dialects.ts";

const parse = (line: string, environment = {}) => parseUssd(line.split(" ").filter(Boolean), environment);

test("without a word: a phone that sends JSON to this machine", () => {
  expect(parse("")).toEqual({
    url: "http://localhost:3000",
    phoneNumber: undefined,
    serviceCode: undefined,
    dialect: jsonDialect,
    mode: undefined,
    task: { kind: "phone" },
  });
});

test("the phone's options", () => {
  expect(parse("--form --latest-only --phone +1 --code *1# --url https://edge.example/base/")).toMatchObject({
    url: "https://edge.example/base",
    phoneNumber: "+1",
    serviceCode: "*1#",
    dialect: formDialect,
    mode: "latest",
  });
  expect(parse("--provider hubtel")).toMatchObject({ dialect: providerDialects.hubtel, mode: "latest" });
  expect(parse("", { PORT: "4000" })).toMatchObject({ url: "http://localhost:4000" });
});

test("a replay", () => {
  expect(parse("--replay-file a.yaml --replay-file b.yaml --flow x --set id=C=1 --pause 0")).toMatchObject({
    task: { kind: "replay", files: ["a.yaml", "b.yaml"], flows: ["x"], values: new Map([["id", "C=1"]]), pauseMs: 0 },
  });
  // Longer than the time in which the server takes an equal input for a repetition.
  expect(parse("--replay-file a.yaml")).toMatchObject({ task: { pauseMs: 2_500 } });
});

test.each(["--help", "-h", "--form --help"])("%s asks for help", (line) => {
  expect(parse(line)).toBe("help");
});

describe("wrong usage is one sentence", () => {
  test.each<[string, RegExp]>([
    ["word", /word/],
    ["--nonsense", /nonsense/],
    ["--url ftp://x", /http/],
    ["--form --provider hubtel", /either/],
    ["--provider nobody", /africas-talking, airtel, hubtel, infobip/],
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

  test("a PORT that is none", () => {
    expect(parse("", { PORT: "http" })).toBeInstanceOf(Error);
  });
});
