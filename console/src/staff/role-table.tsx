/** The table of roles: which operation each role can call. The server enforces it. */
import { Badge } from "../kit/badge.tsx";
import { Fact } from "../kit/fact.tsx";
import type { Me } from "./staff-requests.ts";

export function RoleTable({ me: { self, roles, operations } }: { readonly me: Me }) {
  return (
    <div className="stack">
      <dl className="facts">
        {roles.map(({ name, summary }) => (
          <Fact key={name} name={name}>
            {summary} {name === self.role && <Badge tone="ok">your role</Badge>}
          </Fact>
        ))}
      </dl>
      <div className="table-frame" role="region" aria-label="What each role can do" tabIndex={0}>
        <table className="role-table">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              {roles.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(operations).map(([operation, able]) => (
              <tr key={operation}>
                <th scope="row">{operation}</th>
                {roles.map(({ name }) => (
                  <td key={name}>{able.includes(name) ? "yes" : ""}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
