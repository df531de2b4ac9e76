/** The form of a resolution that the client asks for (RFC 9110, section 12.5.1). */

/** The whole result, or the document alone, with media type `contentType`. */
export interface ResolutionForm {
  readonly whole: boolean;
  readonly contentType: string;
}

export const RESULT = "application/did-resolution";
const LINKED_RESULT = 'application/ld+json;profile="https://w3id.org/did-resolution"';
/** The media type of a document inside a whole result. */
export const DOCUMENT_TYPE = "application/did+ld+json";

export const documentTypes = [
  "application/did",
  "application/did+json",
  "application/did+ld+json",
  "application/ld+json",
];

export type Negotiated = ResolutionForm | "dereferencing" | "not-acceptable";

/** The first known type with the highest quality; `*` in any place selects the whole result. */
export function negotiate(accept: string | undefined): Negotiated {
  if (accept === undefined || accept.trim() === "") return { whole: true, contentType: RESULT };
  const ranges = splitOutsideQuotes(accept, ",")
    .map(rangeOf)
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  for (const range of ranges) {
    const form = formOf(range);
    if (form !== undefined) return form;
  }
  return "not-acceptable";
}

/** Errors are always whole results, as plain JSON if the client asked for JSON. */
export function errorType(accept: string | undefined): string {
  const form = negotiate(accept);
  return typeof form === "object" && form.contentType === "application/json" ? form.contentType : RESULT;
}

interface MediaRange {
  readonly type: string;
  readonly profile: string | undefined;
  readonly quality: number;
}

function formOf({ type, profile }: MediaRange): Negotiated | undefined {
  if (type === "*/*" || type === "application/*" || type === RESULT) return { whole: true, contentType: RESULT };
  if (type === "application/json") return { whole: true, contentType: type };
  if (type === "application/ld+json" && profile === "https://w3id.org/did-resolution") {
    return { whole: true, contentType: LINKED_RESULT };
  }
  if (type === "application/did-url-dereferencing") return "dereferencing";
  return documentTypes.includes(type) ? { whole: false, contentType: type } : undefined;
}

function rangeOf(text: string): MediaRange {
  const [type = "", ...parameters] = splitOutsideQuotes(text, ";").map((part) => part.trim());
  const values = new Map(parameters.map(parameterOf));
  const quality = Number(values.get("q") ?? "1");
  return {
    type: type.toLowerCase(),
    profile: values.get("profile"),
    quality: Number.isFinite(quality) ? quality : 0,
  };
}

function parameterOf(text: string): [string, string] {
  const [name = "", ...value] = text.split("=");
  return [
    name.trim().toLowerCase(),
    value
      .join("=")
      .trim()
      .replace(/^"(.*)"$/, "$1"),
  ];
}

function splitOutsideQuotes(text: string, separator: "," | ";"): readonly string[] {
  return text.match(separator === "," ? /(?:"[^"]*"|[^",])+/g : /(?:"[^"]*"|[^";])+/g) ?? [];
}
