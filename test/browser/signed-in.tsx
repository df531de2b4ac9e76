/** A minimal page: signs in and shows how many sessions its user has. */
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { createInvocation, pageSettings } from "./page-settings.ts";

const { oracleUrl, oracleDid } = pageSettings();

async function countSessions(): Promise<number> {
  const { serialized } = await createInvocation(oracleDid);
  const headers = { Authorization: `Bearer ${serialized}`, "X-Auth-Type": "ucan" };
  const response = await fetch(`${oracleUrl}/sessions`, { headers });
  const { total } = (await response.json()) as { total: number };
  return total;
}

function SessionCount() {
  const [count, setCount] = useState<number>();
  useEffect(() => void countSessions().then(setCount), []);
  return <p role="status">{count}</p>;
}

const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <SessionCount />
    </StrictMode>,
  );
}
