/** Creates a domain. A type and a name are enough; pressing twice creates one, even if an answer was lost. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, apiHooks } from "../../api/api.ts";
import { checkForm } from "../../api/form-check.ts";
import createDomain from "../../api/forms/create-domain.json";
import { rememberAct } from "../../api/own-acts.ts";
import type { components, operations } from "../../api/paths.d.ts";
import { domainHref } from "../../kit/addresses.ts";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Field } from "../../kit/field.tsx";
import { sameJson } from "../../kit/same-json.ts";
import { BackLink, ScreenHeader } from "../../kit/screen-header.tsx";
import { NeedsKey } from "../../session/needs-key.tsx";
import { useRights } from "../../session/use-caller.ts";
import { typeName } from "../../texts/domain-types.ts";
import { formPageTexts, registryTexts } from "../../texts/registry.ts";
import { missingMembers, missingName, suggestedClass } from "./domain-draft.ts";
import { DomainForm, useDomainForm } from "./domain-form.tsx";
import { useDraft } from "./use-draft.ts";

const otherType = "Another type…";

type NewDomain = operations["createDomain"]["requestBody"]["content"]["application/json"];

const initial = {
  type: formPageTexts.defaultType,
  class: suggestedClass(formPageTexts.defaultType),
  metadata: {},
};

export default function CreatePage() {
  const draft = useDraft(initial);
  const rights = useRights();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const { data: types } = apiHooks.useQuery("get", "/v1/domain-types", {}, { staleTime: Infinity });

  const form = useDomainForm({
    draft,
    check: (body) => [...checkForm(createDomain, body), ...missingMembers(body), ...missingName(body)],
    send: async (body, idempotencyKey) => {
      const params = { header: { "Idempotency-Key": idempotencyKey } };
      const { data } = await api.POST("/v1/domains", { params, body: body as NewDomain });
      if (data === undefined) return undefined;
      rememberAct("create");
      void queries.invalidateQueries({ queryKey: ["get", "/v1/domains"] });
      const said = [`“${data.name ?? registryTexts.unnamed}” is created.`];
      if ((data.ignored ?? []).length > 0)
        said.push(`The registry ignored these unknown fields: ${(data.ignored ?? []).join(", ")}.`);
      announce(said.join(" "));
      return domainHref(data.id);
    },
  });
  const type = draft.body["type"];
  const chooseType = (chosen: string): void => {
    const follows = draft.body["class"] === suggestedClass(typeof type === "string" ? type : "");
    draft.setBody({ ...draft.body, type: chosen, ...(follows ? { class: suggestedClass(chosen) } : {}) });
  };
  return (
    <>
      <ScreenHeader
        title="Create a domain"
        lead="A domain is the digital twin of something real: a project, an organisation, a device. It gets its own identifier, a DID, when you create it."
        trail={<BackLink href="/registry">{registryTexts.backToList}</BackLink>}
      />
      <NeedsKey needs="apiKey">
        <div className="stack">
          {rights !== undefined && !rights.mayWrite && !rights.isAdmin && (
            <p className="notice warn">
              A new domain needs a key with the scope domains:write. Your key does not have it, so the registry will
              refuse the request.
            </p>
          )}
          <DomainForm
            draft={draft}
            form={form}
            isNew
            isDirty={draft.isBroken || !sameJson(draft.body, initial)}
            loss="The domain has not been created. Your entries will be lost."
            typeField={
              <TypeField value={type} types={types?.data ?? []} error={form.errorAt("/type")} onChange={chooseType} />
            }
            classOptions={<ClassOptions types={types?.data ?? []} />}
            submitLabel="Create the domain"
            busyLabel="Creating…"
            cancelHref="/registry"
          />
        </div>
      </NeedsKey>
    </>
  );
}

type DomainType = components["schemas"]["DomainType"];

const { labels, hints, defaultType } = formPageTexts;

interface TypeFieldProps {
  readonly value: unknown;
  readonly types: readonly DomainType[];
  readonly error?: string | undefined;
  readonly onChange: (type: string) => void;
}

/** The type of a new domain: a known one with its meaning, or any other; and the protocols that may be its class. */
function TypeField({ value, types, error, onChange }: TypeFieldProps) {
  const text = typeof value === "string" ? value : "";
  const known = types.length === 0 ? [defaultType] : types.map(({ type }) => type);
  const [isOther, setIsOther] = useState(false);
  const showsOther = isOther || !known.includes(text);
  const description = types.find(({ type }) => type === text)?.description;
  return (
    <>
      <Field label={labels.type} hint={description ?? hints.type} error={showsOther ? undefined : error}>
        {(ids) => (
          <select
            value={showsOther ? "" : text}
            onChange={(event) => {
              setIsOther(event.target.value === "");
              onChange(event.target.value);
            }}
            {...ids}
          >
            {known.map((type) => (
              <option key={type} value={type}>
                {typeName(type)}
              </option>
            ))}
            <option value="">{otherType}</option>
          </select>
        )}
      </Field>
      {showsOther && (
        <Field label={labels.otherType} hint={hints.type} error={error}>
          {(ids) => (
            <input
              type="text"
              autoComplete="off"
              maxLength={64}
              value={text}
              onChange={(event) => onChange(event.target.value)}
              {...ids}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** Maximum protocols suggested as classes. */
const SUGGESTED = 20;

function ClassOptions({ types }: { readonly types: readonly DomainType[] }) {
  const protocols = types.map(({ type }) => type).filter((type) => /^protocol\b/i.test(type));
  const { data } = apiHooks.useQuery(
    "get",
    "/v1/domains",
    { params: { query: { type: protocols, status: ["active"], limit: SUGGESTED } } },
    { enabled: protocols.length > 0 },
  );
  return (
    <datalist id="class-options">
      {data?.data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </datalist>
  );
}
