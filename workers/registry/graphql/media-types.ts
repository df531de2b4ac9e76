/** What a client of `/graphql` accepts. */

export const GRAPHQL_TYPE = "application/graphql-response+json";

/** GraphQL's own media type for those who name it; with the older one, errors of a document come with status 200. */
export function answerType(accept: string | undefined): string {
  return acceptedTypes(accept).includes(GRAPHQL_TYPE) ? GRAPHQL_TYPE : "application/json";
}

/** Media types by name, those with q=0 left out. */
export function acceptedTypes(accept: string | undefined): readonly string[] {
  return (accept ?? "")
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([type = ""]) => type);
}
