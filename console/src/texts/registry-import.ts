/** Words of the bulk import. */

export const importTexts = {
  mapping: {
    title: "Columns",
    hint: "Choose what each column fills. Empty cells are left out.",
    column: "Column",
    unnamed: (position: number) => `Column ${position}, without a name`,
    example: "First row",
    fills: "Fills",
    of: (column: string) => `What ${column} fills`,
    separated: (separator: string) => `The columns are separated by a ${separator}.`,
    nothing: "Leave out",
    ownName: (column: string) => `Metadata: ${column}`,
    members: {
      name: "Name",
      description: "Description",
      type: "Type",
      class: "Class",
      externalId: "External id",
      owner: "Owner (DID)",
      controllers: "Controllers (DIDs)",
      relayerNode: "Relayer node",
      validFrom: "Valid from",
      validUntil: "Valid until",
      metadata: "Metadata as JSON",
      credentials: "Credentials as JSON",
      accounts: "Accounts as JSON",
      document: "Document as JSON",
    },
    everyRow: { type: "Type of every row", class: "Class of every row" },
    everyRowHint: {
      type: "No column fills the type. Enter one for all rows, such as Project or asset/device.",
      class: "No column fills the class. Enter its DID for all rows.",
    },
    missing: {
      type: "Enter a type, or choose the column that has it.",
      class: "Enter a class, or choose the column that has it.",
    },
    twice: (member: string) => `Several columns fill ${member}. Choose one of them.`,
  },
};
