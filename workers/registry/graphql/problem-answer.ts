/** How `/graphql` answers what is wrong before a document runs: GraphQL errors, so that clients find them where they look. */
import { wireHeaders, wireMeaningOf, type ErrorMapper } from "../../platform/http/error-bodies.ts";
import { answerType } from "./media-types.ts";

export function graphqlProblem(accept: string | undefined): ErrorMapper {
  return (failure, { requestId }, additions) => {
    const { code, reason = code, message } = failure;
    const errors = [{ message, extensions: { code: reason, requestId } }];
    const headers = wireHeaders(failure, `${answerType(accept)}; charset=utf-8`, additions);
    return new Response(JSON.stringify({ errors }), { status: wireMeaningOf(code).status, headers });
  };
}
