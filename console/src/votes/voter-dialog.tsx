/**
 * Adds or changes a voter: DID, power, label. Before anything is sent, a question states the effect on the roll's power. A DID that
 * is already on the roll is shown with its power, and only changed as an existing voter.
 */
import { useState } from "react";
import { type FieldProblem, hasStatus } from "../api/api-failure.ts";
import { api } from "../api/api.ts";
import { checkForm } from "../api/form-check.ts";
import putVoter from "../api/forms/put-voter.json";
import { rememberAct } from "../api/own-acts.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog, Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { Form, FormFoot } from "../kit/form.tsx";
import { sameJson } from "../kit/same-json.ts";
import { useForm } from "../kit/use-form.ts";
import { grouped } from "../texts/number.ts";
import { rollTexts } from "../texts/votes.ts";
import type { Voter } from "./proposal.ts";

const effect = (who: string, before: number | undefined, after: number) => {
  if (before === undefined) return `${who} gets power ${grouped(after)}.`;
  if (before === after) return `${who} keeps power ${grouped(after)}.`;
  return `The power of ${who} goes from ${grouped(before)} to ${grouped(after)}.`;
};

const voterLoss = "The roll has not been changed. Your entries will be lost.";

export interface VoterDialogProps {
  /** Undefined for a new voter. */
  readonly voter: Voter | undefined;
  /** The whole roll's power. */
  readonly totalPower: number;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}

const places = ["/did", "/weight", "/label"];

export function VoterDialog({ voter, totalPower, onSaved, onClose }: VoterDialogProps) {
  const announce = useAnnounce();
  const [initial] = useState({ did: voter?.did ?? "", weight: String(voter?.weight ?? 1), label: voter?.label ?? "" });
  const [{ did, weight, label }, setDraft] = useState(initial);
  const change = (changed: Partial<typeof initial>): void => setDraft((before) => ({ ...before, ...changed }));
  /** The roll's entry for the DID in question; undefined if there is none. */
  const [asked, setAsked] = useState<{ readonly listed: Voter | undefined }>();
  const body = { did: did.trim(), weight: numberOrText(weight), label: label.trim() === "" ? null : label.trim() };
  const form = useForm({
    body,
    places,
    check: (sent) => [...noDid(sent.did), ...checkForm(putVoter, { weight: sent.weight, label: sent.label })],
    send: async (sent) => {
      setAsked({ listed: voter === undefined ? undefined : await readVoter(sent.did) });
      return undefined;
    },
  });
  const isDirty = !sameJson({ did, weight, label }, initial);
  if (asked !== undefined) {
    return (
      <ConfirmVoter
        key={asked.listed?.version ?? 0}
        body={{ ...body, weight: Number(body.weight) }}
        opened={voter}
        listed={asked.listed}
        totalPower={totalPower}
        onListed={(listed) => setAsked({ listed })}
        onSaved={async () => {
          await onSaved();
          announce("The voter roll is changed.");
          onClose();
        }}
        onClose={() => {
          setAsked(undefined);
          form.clear();
        }}
      />
    );
  }
  return (
    <Dialog
      title={voter === undefined ? rollTexts.addVoter : "Change the voter"}
      onClose={onClose}
      isLocked={form.phase === "sending"}
      loss={isDirty ? voterLoss : undefined}
    >
      <Form
        form={form}
        isDirty={isDirty}
        loss={voterLoss}
        foot={<FormFoot form={form} submitLabel="Save" busyLabel="Checking the roll…" />}
      >
        <Field
          label={rollTexts.did}
          hint="The holder of an API key of this DID with the scope verification:vote may vote. If the DID is already on the roll, use Change in its row."
          error={form.errorAt("/did")}
        >
          {(ids) => (
            <input
              {...ids}
              value={did}
              readOnly={voter !== undefined}
              spellCheck={false}
              onChange={(event) => change({ did: event.target.value })}
            />
          )}
        </Field>
        <PowerField weight={weight} error={form.errorAt("/weight")} onChange={change} />
        <Field label="Name" isOptional hint={rollTexts.labelHint} error={form.errorAt("/label")}>
          {(ids) => <input {...ids} value={label} onChange={(event) => change({ label: event.target.value })} />}
        </Field>
      </Form>
    </Dialog>
  );
}

interface ConfirmVoterProps {
  readonly body: Pick<Voter, "did" | "weight" | "label">;
  /** The row from which the dialog was opened. */
  readonly opened: Voter | undefined;
  /** The roll's current entry. */
  readonly listed: Voter | undefined;
  readonly totalPower: number;
  /** Called with the roll's entry for a DID that seemed to be new. */
  readonly onListed: (listed: Voter | undefined) => void;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

function ConfirmVoter({ body, opened, listed, totalPower, onListed, onSaved, onClose }: ConfirmVoterProps) {
  const { did, weight, label } = body;
  const who = label ?? listed?.label ?? did;
  const save = async (): Promise<void> => {
    // With the ETag of the shown entry; without one, the registry accepts only a DID that is not on the roll.
    const header = listed === undefined ? {} : { "If-Match": `"v${listed.version}"` };
    try {
      await api.PUT("/v1/voters/{did}", { params: { path: { did }, header }, body: { weight, label } });
    } catch (error) {
      // The next question replaces this one.
      if (hasStatus(error, 412, 428)) onListed(await readVoter(did));
      throw error;
    }
    rememberAct("roll");
    await onSaved();
  };
  const isSurprise = listed !== undefined && listed.version !== opened?.version;
  return (
    <ConfirmDialog
      title={listed === undefined ? `Add ${who} to the roll?` : `Change ${who}?`}
      effect={
        <div className="stack tight">
          {isSurprise && (
            <p>
              {opened === undefined
                ? rollTexts.isListed(listed.label ?? did, listed.weight)
                : `Someone changed this voter in the meantime: the power is now ${grouped(listed.weight)}.`}
            </p>
          )}
          <p>{effect(who, listed?.weight, weight)}</p>
          <p>{rollTexts.totalEffect(totalPower, totalPower - (listed?.weight ?? 0) + weight)}</p>
        </div>
      }
      action={listed === undefined ? rollTexts.addVoter : "Change the voter"}
      isDangerous={isSurprise}
      onConfirm={save}
      onClose={onClose}
    />
  );
}

export interface PowerFieldProps {
  readonly weight: string;
  readonly error: string | undefined;
  readonly hint?: string | undefined;
  readonly onChange: (changed: { readonly weight: string }) => void;
}

export function PowerField({ weight, error, hint, onChange }: PowerFieldProps) {
  return (
    <Field label="Power" hint={hint} error={error}>
      {(ids) => (
        <input
          {...ids}
          inputMode="numeric"
          value={weight}
          onChange={(event) => onChange({ weight: event.target.value })}
        />
      )}
    </Field>
  );
}

/** Undefined for a DID that is not on the roll. */
export async function readVoter(did: string): Promise<Voter | undefined> {
  try {
    return (await api.GET("/v1/voters/{did}", { params: { path: { did } } })).data;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

/** Text that is not a number is validated as a text, so that the schema refuses it. */
export function numberOrText(text: string): number | string {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : text;
}

/** The DID is in the request's path, which the body's schema does not cover. */
function noDid(did: string): readonly FieldProblem[] {
  return /^did:[a-z0-9]+:.+/.test(did) ? [] : [{ field: "/did", code: "format", message: rollTexts.noDid }];
}
