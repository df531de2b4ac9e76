/** Adds a voter or changes one: DID, power, label. */
import { useState } from "react";
import { api } from "../api/api.ts";
import type { FieldProblem } from "../api/api-failure.ts";
import { checkForm } from "../api/form-check.ts";
import putVoter from "../api/forms/put-voter.json";
import { useAnnounce } from "../kit/announcer.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { Form, FormFoot } from "../kit/form.tsx";
import { sameJson } from "../kit/same-json.ts";
import { useForm } from "../kit/use-form.ts";
import { rollTexts } from "../texts/votes-roll.ts";
import type { Voter } from "./proposal.ts";

export interface VoterDialogProps {
  /** Undefined for a new one. */
  readonly voter: Voter | undefined;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}

const places = ["/did", "/weight", "/label"];

export function VoterDialog({ voter, onSaved, onClose }: VoterDialogProps) {
  const announce = useAnnounce();
  const [initial] = useState({ did: voter?.did ?? "", weight: String(voter?.weight ?? 1), label: voter?.label ?? "" });
  const [{ did, weight, label }, setDraft] = useState(initial);
  const change = (changed: Partial<typeof initial>): void => setDraft((before) => ({ ...before, ...changed }));
  const form = useForm({
    body: { did: did.trim(), weight: numberOrText(weight), label: label.trim() === "" ? null : label.trim() },
    places,
    check: (body) => [...noDid(body.did), ...checkForm(putVoter, { weight: body.weight, label: body.label })],
    send: async (body) => {
      // With the tag of the row that was opened: what another admin has changed meanwhile is not overwritten.
      const header = voter === undefined ? {} : { "If-Match": `"v${voter.version}"` };
      const params = { path: { did: body.did }, header };
      await api.PUT("/v1/voters/{did}", { params, body: { weight: Number(body.weight), label: body.label } });
      await onSaved();
      announce(rollTexts.voterSaved);
      onClose();
      return undefined;
    },
  });
  return (
    <Dialog title={voter === undefined ? rollTexts.addVoter : rollTexts.editVoter} onClose={onClose}>
      <Form
        form={form}
        isDirty={!sameJson({ did, weight, label }, initial)}
        loss={rollTexts.voterLoss}
        foot={<FormFoot form={form} submitLabel={rollTexts.saveVoter} busyLabel={rollTexts.savingVoter} />}
      >
        <Field label={rollTexts.did} hint={rollTexts.didHint} error={form.errorAt("/did")}>
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
        <Field label={rollTexts.weight} error={form.errorAt("/weight")}>
          {(ids) => (
            <input
              {...ids}
              inputMode="numeric"
              value={weight}
              onChange={(event) => change({ weight: event.target.value })}
            />
          )}
        </Field>
        <Field label={rollTexts.label} isOptional error={form.errorAt("/label")}>
          {(ids) => <input {...ids} value={label} onChange={(event) => change({ label: event.target.value })} />}
        </Field>
      </Form>
    </Dialog>
  );
}

/** Text that is not a number is checked as a text, so that the schema refuses it. */
function numberOrText(text: string): number | string {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : text;
}

/** The DID is in the path of the request, which the schema of the body does not check. */
function noDid(did: string): readonly FieldProblem[] {
  return /^did:[a-z0-9]+:.+/.test(did) ? [] : [{ field: "/did", code: "format", message: rollTexts.noDid }];
}
