/** States of a domain, and what the parts of the registry share. */
import { memberNames } from "./domain-members.ts";

export const statusNames = { active: "Active", suspended: "Suspended", deactivated: "Deactivated" };

export const verificationNames = {
  AwaitingVerification: "Awaiting verification",
  UnderVote: "Under vote",
  Verified: "Verified",
  Rejected: "Rejected",
  Revoked: "Revoked",
};

export const registryTexts = {
  backToList: "All domains",
  unnamed: "Without a name",
  verifiedChanged: "Verified, changed since",
};

/** Words of the page of one domain. */

export const domainTexts = {
  seeProposal: "See the vote",
};

/** Words of the forms that create and edit a domain. */
export const formPageTexts = {
  labels: { ...memberNames, otherType: "Name of the type" },
  hints: {
    type: "What kind of thing it is. It cannot be changed later.",
    fixedType: "The type of a domain never changes.",
    name: "What people call it.",
    class: "DID of the protocol that it follows. You can keep the suggestion and change it until it is verified.",
    editClass: "DID of the protocol that it follows. Another class ends the verification.",
    controllers: "One DID a line: who may change the domain. Left empty, it is you.",
    editControllers: "One DID a line: who may change the domain. Other controllers end the verification.",
    externalId: "Its number in another system.",
    relayerNode: "DID of the operator that registered it.",
    validFrom: "From the beginning of this day, UTC.",
    validUntil: "Up to the beginning of this day, UTC.",
    exactTime: "A time, such as 2027-01-31T12:00:00Z.",
    notPlain: "This is no plain text; edit it in the JSON below.",
  },
  defaultType: "Project",
};

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

/** Words of the lists of a domain that its form edits item by item. */
interface ListTexts {
  readonly title: string;
  readonly lead: string;
  readonly one: (number: number) => string;
  readonly add: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
}

export const itemTexts = {
  lists: {
    service: {
      title: "Services",
      lead: "Where programs reach it. They stand in its DID document.",
      one: (number: number) => `Service ${number}`,
      add: "Add a service",
      labels: { id: "Id", type: "Type", serviceEndpoint: "Address" },
      hints: {
        id: "Its name in the DID document, such as #reports.",
        type: "Such as LinkedDomains or MatrixHomeServer.",
        serviceEndpoint: "Such as https://example.org/reports.",
      },
    },
    linkedResource: {
      title: "Linked resources",
      lead: "Files and pages that belong to it: plans, certificates, pictures.",
      one: (number: number) => `Resource ${number}`,
      add: "Add a resource",
      labels: {
        id: "Id",
        type: "Type",
        description: "Description",
        mediaType: "Media type",
        serviceEndpoint: "Address",
        proof: "Proof",
        encrypted: "Encrypted",
      },
      hints: {
        type: "Such as ProjectDesignDocument.",
        description: "What is in it, in a few words.",
        mediaType: "Such as application/pdf.",
        serviceEndpoint: "Such as https://example.org/plan.pdf.",
        proof: "Such as its content id (CID).",
        id: "Its name in the DID document, such as #plan.",
        encrypted: "Whether readers need a key.",
      },
    },
    credentials: {
      title: "Credentials",
      lead: "Verifiable credentials about it, by their ids.",
      one: (number: number) => `Credential ${number}`,
      add: "Add a credential",
      labels: { id: "Id", type: "Type", status: "Status" },
      hints: {
        id: "Such as urn:uuid:… or its address.",
        type: "Left empty, it is VerifiableCredential.",
        status: "As its issuer says.",
      },
    },
    accounts: {
      title: "Accounts",
      lead: "Its accounts on chains.",
      one: (number: number) => `Account ${number}`,
      add: "Add an account",
      labels: { name: "Name", address: "Address" },
      hints: { name: "What it is for, such as payments.", address: "Such as ixo1…." },
    },
  } satisfies Readonly<Record<string, ListTexts>>,
};
