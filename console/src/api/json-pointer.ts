/** JSON pointers (RFC 6901), such as `/metadata/name`. */
import { nameOfMember } from "../texts/domain-members.ts";

/** The name of a member as a step of a pointer. */
export function stepOf(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A place in a domain as readable text: "Metadata › name". */
export function placeWords(pointer: string): string {
  const [member = "", ...inner] = namesIn(pointer);
  return [nameOfMember(member), ...inner].join(" › ");
}

/** The names of the members on the way, from the outermost one. */
export function namesIn(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
