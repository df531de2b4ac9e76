/** Words of the forms that create and edit a domain. */
import { memberNames } from "./domain-members.ts";

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
