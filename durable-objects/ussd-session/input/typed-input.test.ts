import { expect, test } from "vitest";
import {
  INPUT_LIMITS,
  mayHoldStars,
  readCustomerId,
  readDomainQuery,
  readEmail,
  readInput,
  readLoginPin,
  readName,
  readNewPin,
  readQuestion,
  type InputKind,
} from "./typed-input.ts";

const KINDS = Object.keys(INPUT_LIMITS) as InputKind[];

test.each(KINDS)("in a %s input, 0 goes back, * exits and an empty text is rejected [PH-35]", (kind) => {
  expect(readInput("0", kind, [])).toEqual({ kind: "back" });
  expect(readInput("*", kind, [])).toEqual({ kind: "exit" });
  expect(readInput("**", kind, [])).toEqual({ kind: "exit" });
  expect(readInput("", kind, [])).toEqual({ kind: "empty" });
});

test("00 and 98 are keys only if they are printed [PH-35]", () => {
  expect(readInput("00", "email", ["00", "0"])).toEqual({ kind: "skip" });
  expect(readInput("00", "menu", ["1", "0"])).toEqual({ kind: "value", value: "00" });
  expect(readInput("98", "menu", ["98", "0"])).toEqual({ kind: "more" });
  expect(readInput("98", "menu", ["1", "0"])).toEqual({ kind: "value", value: "98" });
});

test("words are keys on menus and data elsewhere [PH-38]", () => {
  expect(["Back", "CANCEL", "exit"].map((word) => readInput(word, "menu", []).kind)).toEqual(["back", "back", "exit"]);
  for (const kind of KINDS.filter((kind) => kind !== "menu" && kind !== "pin"))
    expect(readInput("Exit", kind, [])).toEqual({ kind: "value", value: "Exit" });
});

test.each(KINDS)("a %s input has its limit, counted in characters [PH-39]", (kind) => {
  const limit = INPUT_LIMITS[kind];
  expect(readInput("🙂".repeat(limit), kind, []).kind).toBe("value");
  expect(readInput("🙂".repeat(limit + 1), kind, []).kind).toBe("too-long");
});

test("the limits are the published ones, and only a question can contain stars [PH-33, PH-39]", () => {
  expect(INPUT_LIMITS).toEqual({ menu: 20, name: 100, email: 100, question: 120, did: 80, "customer-id": 20, pin: 6 });
  expect(KINDS.filter(mayHoldStars)).toEqual(["question"]);
});

function accepted(read: (input: string) => { readonly ok: boolean }, inputs: readonly string[]): readonly string[] {
  return inputs.filter((input) => read(input).ok);
}

test("customer ids: C and 8 to 19 letters or digits, in any case [PH-52]", () => {
  expect(readCustomerId("c1234abcd")).toEqual({ ok: true, value: "C1234ABCD" });
  const good = ["CNOTEXIST99", "C12345678", `C${"a".repeat(19)}`];
  expect(accepted(readCustomerId, [...good, "C1234567", `C${"a".repeat(20)}`, "D12345678", "C1234-678", ""])).toEqual(
    good,
  );
  expect(readCustomerId("x")).toEqual({ ok: false, error: "customerIdFormat" });
});

test("PINs: 4 to 6 digits to log in, exactly 5 to set one [PH-55]", () => {
  const inputs = ["123", "1234", "12345", "123456", "1234567", "12a45", "١٢٣٤٥", "1234\n"];
  expect(accepted(readLoginPin, inputs)).toEqual(["1234", "12345", "123456"]);
  expect(accepted(readNewPin, inputs)).toEqual(["12345"]);
});

test("names: letters of any script, digits and marks used in names [PH-51]", () => {
  const good = ["John Doe", "José", "O'Brien", "N’Golo", "Anne-Marie", "Jr. 3", "李小龙", "محمد", "ኃይሌ", "नरेन्द्र"];
  expect(accepted(readName, [...good, "123", "...", "John#", "a@b", "🙂", "a*b", "<b>", "x;y"])).toEqual(good);
});

test("e-mail: one @, a dot in the domain, no spaces [PH-51]", () => {
  const good = ["john@test.com", "a.b+c@d.e.f", "é@exämple.org"];
  expect(accepted(readEmail, [...good, "a", "a@b", "a@@b.c", "a b@c.d", "@b.c", "a@.c", "a@b.", "a@b..c"])).toEqual(
    good,
  );
});

test("a domain is looked up by DID or by its last characters [PH-44]", () => {
  expect(readDomainQuery("Did:Ixo:entity:0aF1")).toEqual({
    ok: true,
    value: { kind: "did", did: "did:ixo:entity:0aF1" },
  });
  expect(readDomainQuery("AB12cd")).toEqual({ ok: true, value: { kind: "suffix", suffix: "ab12cd" } });
  const good = ["a".repeat(6), "a".repeat(32), "did:x:y"];
  const bad = ["a".repeat(5), "a".repeat(33), "ghijkl", "did:", "did:ixo:", "did:ixo:a b"];
  expect(accepted(readDomainQuery, [...good, ...bad])).toEqual(good);
});

test("a question has at least 3 characters [PH-46]", () => {
  expect(accepted(readQuestion, ["ab", "🙂🙂", "abc", "why?"])).toEqual(["abc", "why?"]);
});
