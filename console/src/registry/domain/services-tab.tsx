/** The two services of a domain, and switching them, which is confirmed by its effect. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, apiHooks } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Badge } from "../../kit/badge.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { domainTexts } from "../../texts/registry-domain.ts";
import { nameOf, type Domain } from "../domain-record.ts";
import { mayChange, useRights } from "../../session/use-rights.ts";

type ServiceName = keyof Domain["services"];
const names: readonly ServiceName[] = ["reporting", "issuance"];

export function ServicesTab({ domain }: { readonly domain: Domain }) {
  const { data: eligibility } = apiHooks.useQuery("get", "/v1/domains/{id}/eligibility", {
    params: { path: { id: domain.id } },
  });
  const [asked, setAsked] = useState<ServiceName>();
  return (
    <div className="stack">
      <div className="grid">
        {names.map((name) => (
          <Service
            key={name}
            name={name}
            domain={domain}
            reasons={eligibility?.reasons.map(({ message }) => message) ?? []}
            onSwitch={() => setAsked(name)}
          />
        ))}
      </div>
      {asked !== undefined && <SwitchDialog domain={domain} name={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface ServiceProps {
  readonly name: ServiceName;
  readonly domain: Domain;
  /** Why it may not be switched on now. */
  readonly reasons: readonly string[];
  readonly onSwitch: () => void;
}

function Service({ name, domain, reasons, onSwitch }: ServiceProps) {
  const rights = useRights();
  const { enabled, enabledAt, disabledAt, disabledReason } = domain.services[name];
  const since = enabled ? enabledAt : disabledAt;
  const canSwitch = enabled || reasons.length === 0;
  return (
    <section className="card">
      <div className="row spread">
        <h2>{domainTexts.services[name]}</h2>
        <Badge tone={enabled ? "ok" : "neutral"}>{enabled ? domainTexts.on : domainTexts.off}</Badge>
      </div>
      <p className="muted">{domainTexts.serviceLeads[name]}</p>
      <p>
        {since === null ? (
          domainTexts.neverOn
        ) : (
          <>
            {enabled ? domainTexts.onSince : domainTexts.offSince} <Age at={since} />
            {disabledReason !== null && ` ${domainTexts.disabledReasons[disabledReason] ?? disabledReason}`}
          </>
        )}
      </p>
      {!canSwitch && (
        <div className="small">
          <p>{domainTexts.cannotSwitchOn}</p>
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      {mayChange(rights, domain) && (
        <p>
          <button type="button" disabled={!canSwitch} onClick={onSwitch}>
            {enabled ? domainTexts.switchOff : domainTexts.switchOn}
          </button>
        </p>
      )}
    </section>
  );
}

interface SwitchDialogProps {
  readonly domain: Domain;
  readonly name: ServiceName;
  readonly onClose: () => void;
}

function SwitchDialog({ domain, name, onClose }: SwitchDialogProps) {
  const queries = useQueryClient();
  const announce = useAnnounce();
  // As it was when the button was pressed, also if the domain changes meanwhile.
  const [enabled] = useState(!domain.services[name].enabled);
  const title = domainTexts.services[name];
  const confirm = async (): Promise<void> => {
    const path = { id: domain.id, name };
    await api.PUT("/v1/domains/{id}/services/{name}", { params: { path }, body: { enabled } });
    await queries.invalidateQueries({ queryKey: ["get"] });
    announce(enabled ? domainTexts.switchedOn(title) : domainTexts.switchedOff(title));
  };
  return (
    <ConfirmDialog
      title={enabled ? domainTexts.switchOnTitle(title) : domainTexts.switchOffTitle(title)}
      effect={
        <p>
          {enabled
            ? domainTexts.switchOnEffect(title, nameOf(domain))
            : domainTexts.switchOffEffect(title, nameOf(domain))}
        </p>
      }
      action={enabled ? domainTexts.switchOn : domainTexts.switchOff}
      isDangerous={!enabled}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
