/** One run of `npm run staff`: finds the operator's token, calls the server, prints. */
import { readErrorBody } from "../../shared/error-body.ts";
import { exitCodes, operatorToken, type KeysProcess } from "../keys/run-keys.ts";
import { unreachable } from "../server-address.ts";
import type { Command, StaffOptions } from "./arguments.ts";

type StaffProcess = Omit<KeysProcess, "freshDid">;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly disabledAt: string | null;
  readonly passkeys: number;
}

interface Invitation extends Pick<Member, "id" | "name" | "role"> {
  readonly link: string;
  readonly expiresAt: string;
}

export async function runStaff(options: StaffOptions, process: StaffProcess): Promise<ExitCode> {
  const token = await operatorToken(options, process);
  if (token === undefined) {
    process.note("npm run staff: no operator token; set ADMIN_TOKEN, or give it with --token-stdin");
    return exitCodes.unauthorised;
  }
  const { method, path, body } = requestOf(options.command);
  let response: Response;
  let text: string;
  try {
    response = await process.fetch(`${options.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would send the token elsewhere.
      redirect: "error",
    });
    text = await response.text();
  } catch (error) {
    process.note(`npm run staff: ${unreachable(options.url, error)}`);
    return exitCodes.unreachable;
  }
  if (!response.ok) {
    const { sentence = "the server refused" } = readErrorBody(text, new Headers());
    process.note(`npm run staff: ${sentence} (${response.status})`);
    return response.status === 401 ? exitCodes.unauthorised : exitCodes.refused;
  }
  if (options.json) process.print(text);
  else show(options.command, text, process);
  return exitCodes.done;
}

function requestOf(command: Command): { readonly method: string; readonly path: string; readonly body?: object } {
  switch (command.kind) {
    case "invite":
      return { method: "POST", path: "/staff/members", body: { name: command.name, role: command.role } };
    case "invite-again":
      return { method: "POST", path: `/staff/members/${command.staffId}/invitations` };
    case "list":
      return { method: "GET", path: "/staff/members" };
    case "disable":
    case "enable":
      return {
        method: "PATCH",
        path: `/staff/members/${command.staffId}`,
        body: { disabled: command.kind === "disable" },
      };
  }
}

function show({ kind }: Command, text: string, { print, note }: StaffProcess): void {
  if (kind === "list") {
    const { data } = JSON.parse(text) as { readonly data: readonly Member[] };
    for (const member of data) print(listed(member));
    if (data.length === 0) note("no staff");
  } else if (kind === "disable" || kind === "enable") {
    const { id, name } = JSON.parse(text) as Member;
    note(`${kind}d ${id} "${name}"`);
  } else {
    const { id, name, role, link, expiresAt } = JSON.parse(text) as Invitation;
    note(`${id} "${name}", ${role}; the link works once, until ${expiresAt}`);
    print(link);
  }
}

/** One line: id, role, name, passkeys, and whether the person is disabled. */
function listed({ id, role, name, passkeys, disabledAt }: Member): string {
  const state = disabledAt === null ? [] : [`disabled ${disabledAt}`];
  return [id, role, name, `${passkeys} passkeys`, ...state].join("  ");
}
