/**
 * Invites a voter in one step: issues an API key that may vote, puts its DID on the roll, and shows a message to send to them. The
 * message contains the key and is shown once.
 */
import { useRef, useState } from "react";
import type { FieldProblem } from "../api/api-failure.ts";
import { api } from "../api/api.ts";
import { checkForm } from "../api/form-check.ts";
import putVoter from "../api/forms/put-voter.json";
import { rememberAct } from "../api/own-acts.ts";
import { exactTime } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { Form, FormFoot } from "../kit/form.tsx";
import { freshDid } from "../kit/fresh-did.ts";
import { OnceDialog } from "../kit/once-dialog.tsx";
import { useForm } from "../kit/use-form.ts";
import { NeedsKey } from "../session/needs-key.tsx";
import { grouped } from "../texts/number.ts";
import { rollTexts } from "../texts/votes.ts";
import { PowerField, numberOrText, readVoter } from "./voter-dialog.tsx";

/** Milliseconds: 90 days, after which the key is rotated. */
const VALID = 90 * 86_400_000;
const SCOPES = ["domains:read", "verification:vote"] as const;
const places = ["/label", "/did", "/weight"];

export interface InviteDialogProps {
  /** The whole roll's power. */
  readonly totalPower: number;
  readonly onInvited: () => Promise<unknown>;
  readonly onClose: () => void;
}

interface IssuedKey {
  readonly did: string;
  readonly key: string;
  readonly expiresAt: string;
}

export function InviteDialog({ totalPower, onInvited, onClose }: InviteDialogProps) {
  const announce = useAnnounce();
  const [{ label, did, weight }, setDraft] = useState({ label: "", did: "", weight: "1" });
  const change = (changed: { label?: string; did?: string; weight?: string }): void =>
    setDraft((before) => ({ ...before, ...changed }));
  /** A key without an entry on the roll: the second request failed, and only that is retried. */
  const issued = useRef<IssuedKey>(undefined);
  const [message, setMessage] = useState<string>();
  const power = numberOrText(weight);
  const form = useForm({
    body: { label: label.trim(), did: did.trim(), weight: power },
    places,
    check: problemsOf,
    send: async (body) => {
      issued.current ??= await issueKey(body);
      const { key, expiresAt, did: voter } = issued.current;
      await api.PUT("/v1/voters/{did}", {
        params: { path: { did: voter } },
        body: { weight: Number(body.weight), label: body.label },
      });
      rememberAct("roll");
      setMessage(
        inviteTexts.message({
          name: body.label,
          power: Number(body.weight),
          did: voter,
          key,
          ends: exactTime(expiresAt),
          ...place(),
        }),
      );
      await onInvited();
      return undefined;
    },
  });
  if (message !== undefined) {
    return (
      <OnceDialog
        title={`${label.trim()} can vote`}
        lead="Send this message only to the voter, over a private channel. It contains their API key, which is shown only now."
        shown={message}
        label="Message"
        copyLabel="Copy the message"
        confirmation="I have sent or stored the message."
        reminder="Copy the message first: the key in it is never shown again."
        loss="The message with the voter's API key is lost."
        onDone={() => {
          announce(`${label.trim()} is on the voter roll.`);
          onClose();
        }}
      />
    );
  }
  const isDirty = label !== "" || did !== "";
  const hasKey = issued.current !== undefined;
  const loss = hasKey
    ? "The API key is issued, but the voter is not on the roll yet. If you stop now, revoke the key under Keys and webhooks."
    : "The voter has not been invited. Your entries will be lost.";
  return (
    <Dialog
      title="Invite a voter"
      onClose={onClose}
      isLocked={form.phase === "sending"}
      loss={isDirty ? loss : undefined}
    >
      <NeedsKey
        needs="operatorToken"
        why="An invitation issues an API key, which needs the operator's token (ADMIN_TOKEN)."
      >
        <Form
          form={form}
          isDirty={isDirty}
          loss={loss}
          foot={<FormFoot form={form} submitLabel="Invite" busyLabel="Inviting…" />}
        >
          <p className="muted">
            Issues an API key that may read domains and vote, puts the voter on the roll, and writes a message for you
            to send.
          </p>
          <Field label="Name" hint={rollTexts.labelHint} error={form.errorAt("/label")}>
            {(ids) => (
              <input
                {...ids}
                value={label}
                readOnly={hasKey}
                autoComplete="off"
                onChange={(event) => change({ label: event.target.value })}
              />
            )}
          </Field>
          <PowerField
            weight={weight}
            error={form.errorAt("/weight")}
            hint={typeof power === "number" ? rollTexts.totalEffect(totalPower, totalPower + power) : undefined}
            onChange={change}
          />
          <Field
            label={rollTexts.did}
            isOptional
            hint="The voter's own DID, if they have one. Otherwise, a new DID is created, which can act only through the key."
            error={form.errorAt("/did")}
          >
            {(ids) => (
              <input
                {...ids}
                value={did}
                readOnly={hasKey}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => change({ did: event.target.value })}
              />
            )}
          </Field>
        </Form>
      </NeedsKey>
    </Dialog>
  );
}

interface Invitation {
  readonly label: string;
  /** Empty for a DID that is created here. */
  readonly did: string;
  readonly weight: number | string;
}

function problemsOf({ label, did, weight }: Invitation): readonly FieldProblem[] {
  const wrongDid = did !== "" && !/^did:[a-z0-9]+:.+/.test(did);
  return [
    ...(label === "" ? [{ field: "/label", code: "required", message: "Enter a name." }] : []),
    ...checkForm(putVoter, { label, weight }),
    ...(wrongDid ? [{ field: "/did", code: "format", message: rollTexts.noDid }] : []),
  ];
}

async function issueKey({ label, did }: Invitation): Promise<IssuedKey> {
  const speaker = did === "" ? await freshDid() : did;
  if (did !== "") {
    const listed = await readVoter(did);
    if (listed !== undefined) throw new Error(rollTexts.isListed(listed.label ?? did, listed.weight));
  }
  const expiresAt = new Date(Date.now() + VALID).toISOString();
  const { data } = await api.POST("/v1/api-keys", {
    body: { label, did: speaker, scopes: [...SCOPES], role: null, expiresAt },
  });
  // A response that is not ok is thrown.
  return { did: speaker, key: data?.key ?? "", expiresAt };
}

function place(): { readonly host: string; readonly link: string } {
  return { host: location.host, link: `${location.origin}/console/votes` };
}

interface InvitationFacts {
  readonly name: string;
  readonly power: number;
  readonly did: string;
  readonly key: string;
  readonly ends: string;
  readonly host: string;
  readonly link: string;
}

/** Words of the dialog that invites a voter. */
const inviteTexts = {
  message: ({ name, power, did, key, ends, host, link }: InvitationFacts) =>
    `Hello ${name},

you are invited to vote in the registry of ${host}, with power ${grouped(power)}.

1. Open ${link}
2. Press "Sign in" and paste this API key: ${key}
3. Open a proposal that waits for your vote, and vote.

The key is personal. It acts as ${did} and expires on ${ends}. Do not share this message.`,
};
