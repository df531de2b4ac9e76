/** Problems of a form: at which field each is shown, and for how long. */
import { expect, test } from "vitest";
import { placeProblems, stillThere } from "./form-problems.ts";

const problem = (field: string) => ({ field, code: "x", message: `wrong: ${field}` });

test("a problem is shown at the deepest field that contains its pointer, the first one per field, and the others are listed [CN-67]", () => {
  const problems = ["/label/0", "/rows/1/id", "/rows/1", "/labels", "", "/rows", "did", "/label"].map(problem);
  const { byPlace, others } = placeProblems(problems, ["/label", "/rows", "/rows/1/id", "/did"]);
  expect(Object.fromEntries(byPlace)).toEqual({
    "/label": "wrong: /label/0",
    "/rows/1/id": "wrong: /rows/1/id",
    "/rows": "wrong: /rows/1",
    "/did": "wrong: did",
  });
  expect(others.map(({ field }) => field)).toEqual(["/labels", ""]);
});

test("the whole body is a place only for problems of the whole", () => {
  const { byPlace, others } = placeProblems([problem(""), problem("/a")], [""]);
  expect([...byPlace.keys(), ...others.map(({ field }) => field)]).toEqual(["", "/a"]);
});

test("a correction removes its own problem, and leaves those of other fields [CN-173]", () => {
  const problems = ["/label", "/rows/0/a~1b", "/rows/1", ""].map(problem);
  const before = { label: "", rows: [{ "a/b": 1 }] };
  const left = (now: unknown) => stillThere(problems, before, now).map(({ field }) => field);
  expect(left({ rows: [{ "a/b": 1 }], label: "" })).toEqual(["/label", "/rows/0/a~1b", "/rows/1", ""]);
  expect(left({ label: "x", rows: [{ "a/b": 1 }] })).toEqual(["/rows/0/a~1b", "/rows/1"]);
  expect(left({ label: "", rows: [] })).toEqual(["/label", "/rows/1"]);
});
