/** States of a domain, and texts that the parts of the registry share. */
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
    type: "The kind of thing it is. It cannot be changed later.",
    fixedType: "The type of a domain never changes.",
    name: "The name that people see.",
    class:
      "DID of the protocol that it follows. You can keep the suggestion and change it until the domain is verified.",
    editClass: "DID of the protocol that it follows. Changing the class ends the verification.",
    controllers: "The DIDs that may change the domain, one per line. If empty, your DID is the controller.",
    editControllers: "The DIDs that may change the domain, one per line. Changing them ends the verification.",
    externalId: "Its id in another system.",
    relayerNode: "DID of the operator that registered it.",
    validFrom: "From the start of this day (UTC).",
    validUntil: "Until the start of this day (UTC).",
    exactTime: "A time, such as 2027-01-31T12:00:00Z.",
    notPlain: "This value is not plain text. Edit it in the JSON below.",
  },
  defaultType: "Project",
};

/** Words of the bulk import. */

export const importTexts = {
  mapping: {
    title: "Columns",
    hint: "Choose the field that each column fills. Empty cells are skipped.",
    column: "Column",
    unnamed: (position: number) => `Column ${position}, without a name`,
    example: "First row",
    fills: "Field",
    of: (column: string) => `Field for ${column}`,
    separated: (separator: string) => `The columns are separated by a ${separator}.`,
    nothing: "Skip",
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
      type: "Enter a type, or choose the column that contains it.",
      class: "Enter a class, or choose the column that contains it.",
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
      lead: "Endpoints where programs reach the domain. They are listed in its DID document.",
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
        description: "A short description of its content.",
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
        type: "If empty: VerifiableCredential.",
        status: "The status that its issuer reports.",
      },
    },
    accounts: {
      title: "Accounts",
      lead: "Its blockchain accounts.",
      one: (number: number) => `Account ${number}`,
      add: "Add an account",
      labels: { name: "Name", address: "Address" },
      hints: { name: "Its purpose, such as payments.", address: "Such as ixo1…." },
    },
  } satisfies Readonly<Record<string, ListTexts>>,
};
