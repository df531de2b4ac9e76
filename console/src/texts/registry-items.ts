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
