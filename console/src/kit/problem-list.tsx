/** What is wrong in a body, each by its place in it. */
import type { FieldProblem } from "../api/api-failure.ts";

export function ProblemList({ problems }: { readonly problems: readonly FieldProblem[] }) {
  return (
    <ul>
      {problems.map(({ field, message }) => (
        <li key={`${field} ${message}`}>
          {field !== "" && <code>{field}</code>} {message}
        </li>
      ))}
    </ul>
  );
}
