/** Requests to `/staff`. The browser sends the session's cookie; no script can read it. */
import { authorizedFetch } from "../api/api.ts";

export interface Role {
  readonly name: string;
  readonly summary: string;
}

export interface Self {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly did: string;
  readonly sessionId: string;
  /** The ids of the operations that the role can call. */
  readonly operations: readonly string[];
}

export interface Me {
  readonly self: Self;
  readonly roles: readonly Role[];
  /** The roles that can call each operation. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
}

export interface Session {
  readonly id: string;
  readonly method: "passkey" | "development";
  readonly device: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly isCurrent: boolean;
}

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly disabledAt: string | null;
  readonly passkeys: number;
}

export interface Invitation {
  readonly name: string;
  readonly link: string;
  readonly expiresAt: string;
}

type Members = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  /** The name of a member of staff; null for others. */
  readonly actorName: string | null;
  readonly network: string;
  readonly operation: string;
  readonly subject: string | null;
  readonly subjectName: string | null;
  readonly requestId: string;
  readonly status: number | null;
  /** `omitted`: the length of a change that is too long to store. */
  readonly change: {
    readonly before?: Members | null;
    readonly after?: Members | null;
    readonly omitted?: number;
  } | null;
}

/** Rejects with ApiFailure. */
export async function staffRequest<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await authorizedFetch(`${location.origin}/staff/${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}
