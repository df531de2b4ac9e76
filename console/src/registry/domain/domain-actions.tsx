/** What can be done with a domain: edit it, and suspend, reactivate or deactivate it, confirmed by the effect. */
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "wouter";
import { api } from "../../api/api.ts";
import { hasStatus } from "../../api/api-failure.ts";
import { domainHref } from "../../kit/addresses.ts";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Icon } from "../../kit/icon.tsx";
import { domainTexts } from "../../texts/registry-domain.ts";
import { ConflictNotice } from "../conflict-notice.tsx";
import { nameOf, type Domain } from "../domain-record.ts";
import { mayChange, useRights } from "../../session/use-rights.ts";

type Action = "suspend" | "reactivate" | "deactivate";

const results = { suspend: "suspended", reactivate: "active", deactivate: "deactivated" } as const;

export function DomainActions({ domain }: { readonly domain: Domain }) {
  const rights = useRights();
  const [asked, setAsked] = useState<{ readonly action: Action; readonly domain: Domain }>();
  const menu = useId();
  if (rights === undefined || domain.status === "deactivated") return null;
  if (!mayChange(rights, domain)) return <p className="muted small">{domainTexts.readOnly}</p>;
  const isHeld = domain.status === "suspended" && domain.suspendedBy === "admin" && !rights.isAdmin;
  const actions: readonly Action[] =
    domain.status === "active" ? ["suspend", "deactivate"] : isHeld ? ["deactivate"] : ["reactivate", "deactivate"];
  return (
    <>
      <button type="button" popoverTarget={menu}>
        {isHeld ? domainTexts.deactivate : domainTexts.change[domain.status]}
      </button>
      <div id={menu} popover="auto" className="menu status-menu">
        {isHeld && <p className="muted small">{domainTexts.suspendedByAdmin}</p>}
        {actions.map((action) => (
          <button
            key={action}
            type="button"
            popoverTarget={menu}
            popoverTargetAction="hide"
            onClick={() => setAsked({ action, domain })}
          >
            {domainTexts[action]}
          </button>
        ))}
      </div>
      <Link href={`${domainHref(domain.id)}/edit`} className="button primary">
        <Icon name="edit" />
        {domainTexts.edit}
      </Link>
      {asked !== undefined && <StatusDialog {...asked} isAdmin={rights.isAdmin} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface StatusDialogProps {
  readonly action: Action;
  /** As it was when the dialog was opened. */
  readonly domain: Domain;
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}

function StatusDialog({ action, domain, isAdmin, onClose }: StatusDialogProps) {
  const queries = useQueryClient();
  const announce = useAnnounce();
  // The newest version after a conflict: the next attempt changes this one.
  const [newest, setNewest] = useState<Domain>();
  const confirm = async (): Promise<void> => {
    const params = {
      path: { id: domain.id },
      header: { "If-Match": `"v${(newest ?? domain).version}"` },
    };
    try {
      if (action === "deactivate") await api.DELETE("/v1/domains/{id}", { params });
      else
        await api.PATCH("/v1/domains/{id}", {
          params,
          body: { status: action === "suspend" ? "suspended" : "active" },
        });
    } catch (error) {
      if (hasStatus(error, 412)) {
        const { data } = await api.GET("/v1/domains/{id}", { params: { path: { id: domain.id } } });
        setNewest(data);
      }
      throw error;
    }
    await queries.invalidateQueries({ queryKey: ["get"] });
    announce(domainTexts.done[results[action]]);
  };
  const name = nameOf(domain);
  return (
    <ConfirmDialog
      title={domainTexts[`${action}Title`](name)}
      effect={
        <div className="stack">
          {newest !== undefined && <ConflictNotice seen={domain} newest={newest} />}
          <p>{domainTexts[`${action}Effect`]}</p>
          {action === "suspend" && isAdmin && <p>{domainTexts.suspendedAsAdmin}</p>}
        </div>
      }
      action={domainTexts[action]}
      isDangerous={action !== "reactivate"}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
