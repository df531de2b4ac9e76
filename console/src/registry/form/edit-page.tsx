/**
 * Edits a domain. It sends the changes for the version that was read. If another user was faster, it shows their changes and moves
 * the edits to the newest version, so that neither side loses any.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { type FieldProblem, hasStatus } from "../../api/api-failure.ts";
import { api, apiHooks } from "../../api/api.ts";
import { checkForm } from "../../api/form-check.ts";
import updateDomain from "../../api/forms/update-domain.json";
import { domainHref } from "../../kit/addresses.ts";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { shortened } from "../../kit/person.tsx";
import { sameJson } from "../../kit/same-json.ts";
import { BackLink, ScreenHeader } from "../../kit/screen-header.tsx";
import { typeName } from "../../texts/domain-types.ts";
import { formPageTexts } from "../../texts/registry.ts";
import { ConflictNotice } from "../conflict-notice.tsx";
import { type Domain, nameOf } from "../domain-record.ts";
import { type Body, applyPatch, editableOf, missingMembers, newNulls, overlaps, patchOf } from "./domain-draft.ts";
import { DomainForm, useDomainForm } from "./domain-form.tsx";
import { endedBy } from "./ended-by.ts";
import { useDraft } from "./use-draft.ts";

const ends = {
  vote: {
    title: "Save and end the vote?",
    effect:
      "The vote to verify this domain is open. Saving ends it: the votes cast no longer count, and the domain must be proposed again.",
  },
  verification: {
    title: "Save and end the verification?",
    effect:
      "The domain is verified. Changing its class, controllers or relayer node ends the verification: its services are switched off, and the domain must be proposed again.",
  },
};

export default function EditPage({ id }: { readonly id: string }) {
  const query = apiHooks.useQuery("get", "/v1/domains/{id}", { params: { path: { id } } });
  return (
    <>
      {query.data === undefined && <Head id={id} name={shortened(id)} />}
      <Loaded query={query} showsAge={false}>
        {(domain) => <EditForm newest={domain} refetch={query.refetch} />}
      </Loaded>
    </>
  );
}

function Head({ id, name }: { readonly id: string; readonly name: string }) {
  return <ScreenHeader title={`Edit ${name}`} trail={<BackLink href={domainHref(id)}>The domain</BackLink>} />;
}

interface EditFormProps {
  /** The current version; it may be newer than the base of the edits. */
  readonly newest: Domain;
  readonly refetch: () => Promise<unknown>;
}

function EditForm({ newest, refetch }: EditFormProps) {
  const [base, setBase] = useState(newest);
  const draft = useDraft(editableOf(base));
  const queries = useQueryClient();
  const announce = useAnnounce();
  const before = editableOf(base);
  // A removed document is emptied list by list, so that lists that others have added stay.
  const patch = patchOf(before, "document" in before ? { document: {}, ...draft.body } : draft.body);
  const isDirty = draft.isBroken || !sameJson(before, draft.body);
  const page = domainHref(base.id);

  const check = (body: Body): readonly FieldProblem[] => [
    ...missingMembers(body),
    ...checkForm(updateDomain, { ...body, ...withoutRemovals(patch) }),
    ...newNulls(before, body),
  ];
  const form = useDomainForm({
    draft,
    check,
    send: async () => {
      const params = { path: { id: base.id }, header: { "If-Match": `"v${base.version}"` } };
      try {
        await api.PATCH("/v1/domains/{id}", { params, body: patch });
      } catch (error) {
        // Reloaded, so that the notice can show the other user's changes.
        if (hasStatus(error, 412)) await refetch();
        throw error;
      }
      void queries.invalidateQueries({ queryKey: ["get"] });
      announce("Your changes were saved.");
      return page;
    },
  });
  const { clear } = form;
  const isSaved = form.phase === "done";

  // Nothing was edited, so the form follows the newest version without a question.
  useEffect(() => {
    if (isDirty || isSaved || newest.version === base.version) return;
    setBase(newest);
    draft.setBody(editableOf(newest));
    clear();
  }, [isDirty, isSaved, newest, base, draft, clear]);

  const keepMine = (): void => {
    draft.setBody(applyPatch(editableOf(newest), patch));
    setBase(newest);
    clear();
    announce("Your changes now apply to the newest version. Check them, then save.");
  };
  const isBehind = !isSaved && newest.version > base.version;
  const [isAsking, setIsAsking] = useState(false);
  const ended = endedBy(newest, patch);
  const submit = async (): Promise<void> => {
    const isReady = form.phase === "open" && !isBehind && !draft.isBroken && check(draft.body).length === 0;
    if (ended !== undefined && isReady) setIsAsking(true);
    else await form.submit();
  };
  const save = (): Promise<void> => {
    // While the dialog is open, no other element can have the focus.
    flushSync(() => setIsAsking(false));
    return form.submit();
  };
  return (
    <>
      <Head id={base.id} name={nameOf(base)} />
      <div className="stack">
        {isBehind && isDirty && (
          <ConflictNotice seen={base} newest={newest}>
            <Overlap pointers={overlaps(patch, patchOf(before, editableOf(newest)))} />
            <p>
              <button
                type="button"
                className="primary"
                // During a save, "Save" sends nothing else.
                disabled={draft.isBroken || form.phase === "sending"}
                onClick={keepMine}
              >
                Apply my changes to it
              </button>
            </p>
          </ConflictNotice>
        )}
        <DomainForm
          draft={draft}
          form={{ ...form, submit }}
          isNew={false}
          isDirty={isDirty}
          loss={`Your changes to “${nameOf(base)}” have not been saved and will be lost.`}
          typeField={
            <Field label={formPageTexts.labels.type} hint={formPageTexts.hints.fixedType}>
              {(ids) => <output {...ids}>{typeName(base.type)}</output>}
            </Field>
          }
          submitLabel="Save the changes"
          busyLabel="Saving…"
          cancelHref={page}
          // The notice above explains it.
          refusal={isBehind ? null : undefined}
        />
      </div>
      {isAsking && ended !== undefined && (
        <ConfirmDialog
          title={ends[ended].title}
          effect={<p>{ends[ended].effect}</p>}
          action="Save the changes"
          onConfirm={save}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

function Overlap({ pointers }: { readonly pointers: readonly string[] }) {
  if (pointers.length === 0) return <p>Your entries are kept, and you changed different fields.</p>;
  return (
    <p>
      {"Your entries are kept. If both of you changed the same field, your value is used:"}{" "}
      <code>{pointers.join(", ")}</code>
    </p>
  );
}

/** Members of the patch as in the merged record; `missingMembers` checks removals. */
function withoutRemovals(patch: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(patch).filter(([name, value]) => name !== "metadata" && name !== "document" && value !== null),
  );
}
