/** What an operator can do for a customer: unlock, reset the PIN, link a DID. Each is confirmed with its effect in words. */
import { type Dispatch, type ReactNode, type SetStateAction, useState } from "react";
import { ExactTime } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { SignInNotice } from "../../kit/sign-in-notice.tsx";
import { useCredentials } from "../../session/use-credentials.ts";
import { operatorTexts } from "../../texts/phone-operator.ts";
import { usePrivateText } from "../private-text.ts";
import { type RotationCounts, type TemporaryPin, linkDid, resetPin, rotateKeys, unlock } from "./customer-acts.ts";
import { withPin, withoutPin } from "./temporary-pins.ts";

type Act = "unlock" | "reset" | "link" | "unlink";

export interface CustomersViewProps {
  /** Given out and not noted yet. */
  readonly pins: readonly TemporaryPin[];
  readonly onPins: Dispatch<SetStateAction<readonly TemporaryPin[]>>;
}

export function CustomersView({ pins, onPins }: CustomersViewProps) {
  const { phoneOperatorToken } = useCredentials();
  const [customer, setCustomer] = usePrivateText("customer", "");
  const [did, setDid] = useState("");
  const [act, setAct] = useState<Act>();
  const [isMissing, setIsMissing] = useState(false);
  const announce = useAnnounce();
  const id = customer.trim().toUpperCase();
  const ask = (act: Act): void => {
    setIsMissing(id === "");
    if (id !== "") setAct(act);
  };
  const link = did.trim();

  return (
    <div className="stack loose">
      {phoneOperatorToken === undefined && <SignInNotice needs="phoneOperatorToken" />}
      <section className="card">
        <h2>{operatorTexts.customer}</h2>
        <p className="muted">{operatorTexts.customersLead}</p>
        <Field
          label={operatorTexts.customerId}
          hint={operatorTexts.customerIdHint}
          error={isMissing ? operatorTexts.customerIdMissing : undefined}
        >
          {(ids) => (
            <input
              className="phone-short"
              autoComplete="off"
              spellCheck={false}
              value={customer}
              onChange={(event) => {
                setIsMissing(false);
                setCustomer(event.target.value);
              }}
              {...ids}
            />
          )}
        </Field>
        <div className="phone-acts-list">
          <ActRow hint={operatorTexts.unlockHint}>
            <button type="button" onClick={() => ask("unlock")}>
              {operatorTexts.unlock}
            </button>
          </ActRow>
          <ActRow hint={operatorTexts.resetHint}>
            <button type="button" onClick={() => ask("reset")}>
              {operatorTexts.reset}
            </button>
          </ActRow>
        </div>
        {pins.map((pin) => (
          <TemporaryPinNotice
            key={pin.customerId}
            pin={pin}
            onNoted={() => onPins((before) => withoutPin(before, pin))}
          />
        ))}
        <Field label={operatorTexts.did} hint={operatorTexts.didHint} isOptional>
          {(ids) => (
            <input
              autoComplete="off"
              spellCheck={false}
              value={did}
              onChange={(event) => setDid(event.target.value)}
              {...ids}
            />
          )}
        </Field>
        <p className="row wrap">
          <button type="button" disabled={link === ""} onClick={() => ask("link")}>
            {operatorTexts.link}
          </button>
          <button type="button" onClick={() => ask("unlink")}>
            {operatorTexts.unlink}
          </button>
        </p>
      </section>
      <KeyRotation />
      {act !== undefined && (
        <ConfirmDialog {...dialogOf(act)} isDangerous={act === "reset"} onClose={() => setAct(undefined)} />
      )}
    </div>
  );

  function dialogOf(act: Act) {
    switch (act) {
      case "unlock":
        return {
          title: operatorTexts.unlockTitle,
          effect: operatorTexts.unlockEffect(id),
          action: operatorTexts.unlock,
          onConfirm: async () => {
            await unlock(id);
            announce(operatorTexts.unlocked(id));
          },
        };
      case "reset":
        return {
          title: operatorTexts.resetTitle,
          effect: operatorTexts.resetEffect(id),
          action: operatorTexts.reset,
          onConfirm: async () => {
            const pin = await resetPin(id);
            onPins((before) => withPin(before, pin));
          },
        };
      case "link":
        return {
          title: operatorTexts.linkTitle,
          effect: operatorTexts.linkEffect(id, link),
          action: operatorTexts.link,
          onConfirm: async () => {
            await linkDid(id, link);
            announce(operatorTexts.linked(id, link));
          },
        };
      case "unlink":
        return {
          title: operatorTexts.unlinkTitle,
          effect: operatorTexts.unlinkEffect(id),
          action: operatorTexts.unlink,
          onConfirm: async () => {
            await linkDid(id, null);
            announce(operatorTexts.unlinked(id));
          },
        };
    }
  }
}

function ActRow({ hint, children }: { readonly hint: string; readonly children: ReactNode }) {
  return (
    <div className="row wrap">
      {children}
      <span className="muted small">{hint}</span>
    </div>
  );
}

interface TemporaryPinNoticeProps {
  readonly pin: TemporaryPin;
  readonly onNoted: () => void;
}

/** A temporary PIN, shown this once: until the operator has noted it, and in no address or storage. */
function TemporaryPinNotice({ pin, onNoted }: TemporaryPinNoticeProps) {
  const { customerId, temporaryPin, expiresAt } = pin;
  return (
    <section className="notice ok" aria-label={operatorTexts.temporaryPin(customerId)}>
      <div className="stack tight">
        <div className="stack tight" role="status">
          <p>{operatorTexts.temporaryPin(customerId)}</p>
          <p className="phone-pin">
            <code>{temporaryPin}</code>
          </p>
          <p>
            {operatorTexts.expires} <ExactTime at={expiresAt} />
          </p>
          <p className="hint">{operatorTexts.temporaryHint}</p>
        </div>
        <p>
          <button type="button" onClick={onNoted}>
            {operatorTexts.noted}
          </button>
        </p>
      </div>
    </section>
  );
}

/** Seals all PINs and keys again under the current key, batch by batch, and says how far it is. */
function KeyRotation() {
  const [isAsked, setIsAsked] = useState(false);
  const [counts, setCounts] = useState<RotationCounts>();
  return (
    <section className="card">
      <h2>{operatorTexts.keys}</h2>
      <p className="muted">{operatorTexts.keysLead}</p>
      <p>
        <button type="button" onClick={() => setIsAsked(true)}>
          {operatorTexts.rotate}
        </button>
      </p>
      <div role="status">
        {counts !== undefined && <p>{operatorTexts.rotated(counts.examined, counts.resealed, counts.unreadable)}</p>}
        {counts !== undefined && counts.unreadable > 0 && <p>{operatorTexts.unreadable}</p>}
      </div>
      {isAsked && (
        <ConfirmDialog
          title={operatorTexts.rotateTitle}
          effect={operatorTexts.rotateEffect}
          action={operatorTexts.rotate}
          isDangerous={false}
          onConfirm={() => rotateKeys(setCounts)}
          onClose={() => setIsAsked(false)}
        />
      )}
    </section>
  );
}
