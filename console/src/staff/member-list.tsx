/** The people who work here: inviting them, changing their role, and disabling them. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useAnnounce } from "../kit/announcer.tsx";
import { OnceDialog } from "../kit/once-dialog.tsx";
import { Badge } from "../kit/badge.tsx";
import { ShortId } from "../kit/person.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { exactTime } from "../kit/age.tsx";
import { Field, fieldTexts } from "../kit/field.tsx";
import { EmptyState, ErrorPanel, Loaded } from "../kit/loaded.tsx";
import { staffRequest, type Invitation, type Me, type Member } from "./staff-requests.ts";

const queryKey = ["staff", "members"];

export function MemberList({ me }: { readonly me: Me }) {
  const query = useQuery({
    queryKey,
    queryFn: () => staffRequest<{ readonly data: readonly Member[] }>("GET", "members"),
  });
  const [invitation, setInvitation] = useState<Invitation>();
  return (
    <div className="stack loose">
      <InviteForm me={me} onInvited={setInvitation} />
      {invitation !== undefined && <InvitationDialog invitation={invitation} onDone={() => setInvitation(undefined)} />}
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No one is invited yet" />
          ) : (
            <ul className="key-rows" aria-label="People">
              {data.map((member) => (
                <MemberRow key={member.id} me={me} member={member} onInvited={setInvitation} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

interface Inviting {
  readonly me: Me;
  readonly onInvited: (invitation: Invitation) => void;
}

function InviteForm({ me, onInvited }: Inviting) {
  const queries = useQueryClient();
  const [isSending, setIsSending] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isSending) return;
    const form = event.currentTarget;
    setIsSending(true);
    setFailure(undefined);
    try {
      onInvited(await staffRequest<Invitation>("POST", "members", fieldTexts(form, ["name", "role"])));
      form.reset();
      await queries.invalidateQueries({ queryKey });
    } catch (error) {
      setFailure(error);
    }
    setIsSending(false);
  };
  return (
    <form className="stack key-form" aria-label="Invite a person" onSubmit={(event) => void submit(event)}>
      <Field label="Name">{(ids) => <input name="name" required maxLength={100} autoComplete="off" {...ids} />}</Field>
      <Field label="Role">
        {(ids) => (
          <select name="role" {...ids}>
            {me.roles.map(({ name, summary }) => (
              <option key={name} value={name}>
                {name}: {summary}
              </option>
            ))}
          </select>
        )}
      </Field>
      {failure !== undefined && <ErrorPanel error={failure} />}
      <p>
        <button type="submit" className="primary" aria-disabled={isSending}>
          Invite
        </button>
      </p>
    </form>
  );
}

interface InvitationDialogProps {
  readonly invitation: Invitation;
  readonly onDone: () => void;
}

function InvitationDialog({ invitation: { name, link, expiresAt }, onDone }: InvitationDialogProps) {
  return (
    <OnceDialog
      title={`Send ${name} this link`}
      lead={`Use a channel that only ${name} reads. The link works once, until ${exactTime(expiresAt)}, and is shown only now.`}
      shown={link}
      label="Invitation"
      copyLabel="Copy the link"
      confirmation="I have copied the link"
      reminder="First copy the link and confirm above. If it is lost, invite the person again."
      loss="The link is shown only once. If you have not copied it, invite the person again."
      onDone={onDone}
    />
  );
}

function MemberRow({ me, member, onInvited }: Inviting & { readonly member: Member }) {
  const { id, name, role, disabledAt, passkeys } = member;
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [asked, setAsked] = useState<"invite" | "switch">();
  const isDisabled = disabledAt !== null;
  const change = async (body: object, text: string): Promise<void> => {
    await staffRequest("PATCH", `members/${id}`, body);
    announce(text);
    await queries.invalidateQueries({ queryKey });
  };
  const inviteAgain = async (): Promise<void> => {
    onInvited(await staffRequest<Invitation>("POST", `members/${id}/invitations`));
  };
  const state = isDisabled ? "disabled" : passkeys === 0 ? "invited" : "active";
  return (
    <li className="key-row member">
      <div className="stack tight">
        <span className="row wrap">
          <strong className="key-label">{name}</strong> <Badge tone={tones[state]}>{state}</Badge>
          {id === me.self.id && <Badge>you</Badge>}
        </span>
        <span className="small muted">
          <ShortId id={id} />
        </span>
      </div>
      <span className="small muted">
        {role}: {me.roles.find((each) => each.name === role)?.summary}
      </span>
      {id === me.self.id ? (
        <span className="small muted">Another administrator can change your role.</span>
      ) : (
        <span className="row wrap">
          <RoleChoice me={me} member={member} onChange={change} />
          {!isDisabled && (
            <button type="button" className="small" onClick={() => setAsked("invite")}>
              Invite again
            </button>
          )}
          <button type="button" className="small" onClick={() => setAsked("switch")}>
            {isDisabled ? "Enable" : "Disable"}
          </button>
        </span>
      )}
      {asked === "invite" && (
        <ConfirmDialog
          title={`Invite ${name} again?`}
          effect={<p>When {name} accepts, the new passkey replaces all earlier ones and ends all sessions.</p>}
          action="Invite again"
          isDangerous={false}
          onConfirm={inviteAgain}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "switch" && (
        <ConfirmDialog
          title={isDisabled ? `Enable ${name}?` : `Disable ${name}?`}
          effect={
            <p>
              {isDisabled
                ? `${name} can sign in again with the same passkey.`
                : `All sessions of ${name} end now, and ${name} cannot sign in.`}
            </p>
          }
          action={isDisabled ? "Enable" : "Disable"}
          isDangerous={!isDisabled}
          onConfirm={() => change({ disabled: !isDisabled }, `${name} is ${isDisabled ? "enabled" : "disabled"}.`)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </li>
  );
}

const tones = { active: "ok", invited: "info", disabled: "neutral" } as const;

interface RoleChoiceProps {
  readonly me: Me;
  readonly member: Member;
  readonly onChange: (body: object, text: string) => Promise<void>;
}

function RoleChoice({ me, member: { name, role }, onChange }: RoleChoiceProps) {
  const [wanted, setWanted] = useState<string>();
  return (
    <>
      <select aria-label={`Role of ${name}`} value={role} onChange={(event) => setWanted(event.currentTarget.value)}>
        {me.roles.map((each) => (
          <option key={each.name} value={each.name}>
            {each.name}
          </option>
        ))}
      </select>
      {wanted !== undefined && wanted !== role && (
        <ConfirmDialog
          title={`Make ${name} ${wanted}?`}
          effect={<p>{me.roles.find((each) => each.name === wanted)?.summary} The role applies at once.</p>}
          action="Change the role"
          isDangerous={false}
          onConfirm={() => onChange({ role: wanted }, `${name} has the role ${wanted}.`)}
          onClose={() => setWanted(undefined)}
        />
      )}
    </>
  );
}
