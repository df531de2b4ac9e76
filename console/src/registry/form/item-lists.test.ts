/** The lists that are edited item by item, checked against the registry's schema. */
import { expect, test } from "vitest";
import { checkForm } from "../../api/form-check.ts";
import createDomain from "../../api/forms/create-domain.json" with { type: "json" };
import { placeProblems } from "../../kit/form-problems.ts";
import { itemTexts } from "../../texts/registry.ts";
import { type Body, placesOf, withMember } from "./domain-draft.ts";
import { itemLists } from "./item-lists.ts";

const plain: Body = { type: "Project", class: "did:ixo:protocol/project" };

test.each(itemLists)("$name: each field has a label, and shows its own errors [CN-199]", (list) => {
  for (const { name } of list.fields) {
    expect(itemTexts.lists[list.name].labels).toHaveProperty(name);
    const body = withMember(plain, list.path, [{ ...list.create([]), [name]: 1 }]);
    const { byPlace, others } = placeProblems(checkForm(createDomain, body), placesOf(body));
    expect([...byPlace.keys()]).toContain(`/${list.path.join("/")}/0/${name}`);
    expect(others).toEqual([]);
  }
});

test("a new service has a unique id [CN-199]", () => {
  const [services] = itemLists;
  expect(services?.create([{ id: "#service-2" }, { id: "#service-1" }, {}])).toEqual({ id: "#service-3" });
});

test.each(itemLists)("$name: has the registry's maximum number of items, and its choices [CN-199]", (list) => {
  const filled = Object.fromEntries(list.fields.map(({ name, options }) => [name, options?.at(-1) ?? "urn:x"]));
  const faultsOf = (count: number) =>
    checkForm(createDomain, withMember(plain, list.path, Array(count).fill(filled))).map(({ field }) => field);
  expect(faultsOf(list.most)).toEqual([]);
  expect(faultsOf(list.most + 1)).toEqual([`/${list.path.join("/")}`]);
});

test("a value that is not a list is an error of the whole list, at a place in the form [CN-199]", () => {
  const body = { ...plain, accounts: "none" };
  const { byPlace } = placeProblems(checkForm(createDomain, body), placesOf(body));
  expect([...byPlace.keys()]).toEqual(["/accounts"]);
});
