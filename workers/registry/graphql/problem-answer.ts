/** How `/graphql` answers what is wrong before a document runs: GraphQL errors, so that clients find them where they look. */
import { statusOf, type Problem } from "../problem.ts";
import { answerType } from "./media-types.ts";

export function graphqlProblem(
  { code, detail, headers }: Problem,
  { accept, requestId }: { readonly accept: string | undefined; readonly requestId: string },
): Response {
  const errors = [{ message: detail, extensions: { code, requestId } }];
  return new Response(JSON.stringify({ errors }), {
    status: statusOf(code),
    headers: { "Content-Type": `${answerType(accept)}; charset=utf-8`, "Cache-Control": "no-store", ...headers },
  });
}
