/** The lists of a domain that are edited item by item; the others are edited as JSON. */
import createDomain from "../../api/forms/create-domain.json";
import type { itemTexts } from "../../texts/registry.ts";

const { properties } = createDomain;

export interface ItemField {
  readonly name: string;
  readonly isOptional?: boolean;
  /** Its possible values; the first is the default. */
  readonly options?: readonly string[];
}

export interface ItemList {
  readonly name: keyof typeof itemTexts.lists;
  readonly path: readonly string[];
  readonly fields: readonly ItemField[];
  readonly most: number;
  /** A new item for a list with these items. */
  readonly create: (items: readonly Readonly<Record<string, unknown>>[]) => Readonly<Record<string, string>>;
}

const documentList = (name: "service" | "linkedResource") =>
  properties.document.anyOf[0]?.properties?.[name].anyOf[0]?.maxItems ?? 0;

export const itemLists: readonly ItemList[] = [
  {
    name: "service",
    path: ["document", "service"],
    fields: [{ name: "type" }, { name: "serviceEndpoint" }, { name: "id" }],
    most: documentList("service"),
    create: (items) => ({ id: freeId(items.map(({ id }) => id)) }),
  },
  {
    name: "linkedResource",
    path: ["document", "linkedResource"],
    fields: [
      { name: "type" },
      { name: "serviceEndpoint", isOptional: true },
      { name: "description", isOptional: true },
      { name: "mediaType", isOptional: true },
      { name: "proof", isOptional: true },
      { name: "id", isOptional: true },
      { name: "encrypted", options: ["false", "true"] },
    ],
    most: documentList("linkedResource"),
    create: () => ({}),
  },
  {
    name: "credentials",
    path: ["credentials"],
    fields: [
      { name: "id" },
      { name: "type", isOptional: true },
      { name: "status", options: ["unknown", "active", "suspended", "revoked", "expired"] },
    ],
    most: properties.credentials.anyOf[0]?.maxItems ?? 0,
    create: () => ({}),
  },
  {
    name: "accounts",
    path: ["accounts"],
    fields: [{ name: "name" }, { name: "address" }],
    most: properties.accounts.anyOf[0]?.maxItems ?? 0,
    create: () => ({}),
  },
];

function freeId(taken: readonly unknown[], number = 1): string {
  const id = `#service-${number}`;
  return taken.includes(id) ? freeId(taken, number + 1) : id;
}
