/** The texts of a form's fields by their names, without white space around them. */
export function fieldTexts<Name extends string>(
  form: HTMLFormElement,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const data = new FormData(form);
  const textOf = (name: Name): string => {
    const value = data.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  return Object.fromEntries(names.map((name) => [name, textOf(name)])) as Record<Name, string>;
}
