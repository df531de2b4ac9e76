/** Words of the forms that create and edit a domain. */
import { memberNames } from "./domain-members.ts";

export const formPageTexts = {
  createTitle: "Create a domain",
  createLead:
    "A domain is the digital twin of something real: a project, an organisation, a device. It gets an identifier of its own, a DID, when you create it.",
  needsWrite: "A new domain needs a key with the scope domains:write. Yours has none; what you send will be refused.",
  editTitle: (name: string) => `Edit ${name}`,
  basics: "Basics",
  more: "Controllers, validity and ids",
  advanced: "All of it as JSON",
  advancedHint:
    "The same domain as the fields above, and what has no field: keys and other lists of the document, more metadata. Each keeps the other in step.",
  jsonLabel: "Domain as JSON",
  jsonBroken: "This is no JSON object yet, or nests more than 64 levels. The fields wait until it fits.",
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
  otherType: "Another type…",
  defaultType: "Project",
  create: "Create the domain",
  creating: "Creating…",
  save: "Save the changes",
  saving: "Saving…",
  backToDomain: "The domain",
  created: (name: string) => `“${name}” is created.`,
  maybeCreated:
    "The answer was lost, but the domain may have been created. Sent again as it is, the form makes no second one; with a change it does.",
  ignored: (names: readonly string[]) =>
    `The registry does not know these members and left them out: ${names.join(", ")}.`,
  newLoss: "The domain is not created yet. What you have entered for it is lost.",
  editLoss: (name: string) => `Your changes of “${name}” are not saved. They are lost.`,
  saved: "The changes are saved.",
  ends: {
    vote: {
      title: "Save and end the vote?",
      effect:
        "The vote to verify this domain is open. Saving ends it: votes that are cast no longer count, and somebody has to propose the domain again.",
    },
    verification: {
      title: "Save and end the verification?",
      effect:
        "The domain is verified. Another class, other controllers or another relayer node end that: its services go off, and somebody has to propose it again.",
    },
  },
  keepMine: "Keep my changes on top of it",
  keepMineHint: "Nothing that you entered is lost. Where both changed the same member, yours stays:",
  keepMineNoOverlap: "Nothing that you entered is lost, and you changed other members than they did.",
  rebased: "Your changes are on top of the newest version now. Check them, then save.",
  noNull: "A member cannot be set to null here; leave it out instead.",
};
