/** An operator's actions for a customer: unlock, reset the PIN, link a DID. Each is confirmed with its effect in words. */
import { type Dispatch, type ReactNode, type SetStateAction, useState } from "react";
import { ExactTime } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { SignInNotice } from "../../kit/loaded.tsx";
import { useCredentials } from "../../session/use-caller.ts";
import { usePrivateText } from "../private-text.ts";
import { type RotationCounts, type TemporaryPin, linkDid, resetPin, rotateKeys, unlock } from "./customer-acts.ts";
import { withPin, withoutPin } from "./temporary-pins.ts";

const temporaryPinText = (id: string) => `Temporary PIN of ${id}`;

type Act = "unlock" | "reset" | "link" | "unlink";

export interface CustomersViewProps {
  /** Issued and not noted yet. */
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
        <h2>Account</h2>
        <p className="muted">Actions for a customer who is on the phone. Each action is written to the audit log.</p>
        <Field
          label="Customer ID"
          hint="C, eight digits or letters, and a check character, as shown on the phone."
          error={isMissing ? "Enter a Customer ID first." : undefined}
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
          <ActRow hint="Clears all locks that wrong PINs caused.">
            <button type="button" onClick={() => ask("unlock")}>
              Unlock
            </button>
          </ActRow>
          <ActRow hint="Creates a temporary PIN, which is shown once.">
            <button type="button" onClick={() => ask("reset")}>
              Reset the PIN
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
        <Field
          label="DID to link"
          hint="The customer then sees the records that this DID controls as well as their own."
          isOptional
        >
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
            Link the DID
          </button>
          <button type="button" onClick={() => ask("unlink")}>
            Remove the link
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
          title: "Unlock this account?",
          effect: `${id} can log in again at once from every phone, and the count of wrong PINs starts from 0. Anyone who was guessing the PIN can guess again.`,
          action: "Unlock",
          onConfirm: async () => {
            await unlock(id);
            announce(`${id} is unlocked.`);
          },
        };
      case "reset":
        return {
          title: "Reset the PIN of this account?",
          effect: `The PIN of ${id} stops working and cannot be brought back. Live logins end. You see a temporary PIN once; the customer must change it at the first login.`,
          action: "Reset the PIN",
          onConfirm: async () => {
            const pin = await resetPin(id);
            onPins((before) => withPin(before, pin));
          },
        };
      case "link":
        return {
          title: "Link this DID?",
          effect: `Anyone who logs in as ${id} sees the records that ${link} controls as their own. The link replaces an earlier one.`,
          action: "Link the DID",
          onConfirm: async () => {
            await linkDid(id, link);
            announce(`${id} is linked to ${link}.`);
          },
        };
      case "unlink":
        return {
          title: "Remove the linked DID?",
          effect: `From then on, ${id} sees only their own DID's records.`,
          action: "Remove the link",
          onConfirm: async () => {
            await linkDid(id, null);
            announce(`${id} has no linked DID.`);
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

/** A temporary PIN, shown until the operator has noted it, and in no address or storage. */
function TemporaryPinNotice({ pin, onNoted }: TemporaryPinNoticeProps) {
  const { customerId, temporaryPin, expiresAt } = pin;
  return (
    <section className="notice ok" aria-label={temporaryPinText(customerId)}>
      <div className="stack tight">
        <div className="stack tight" role="status">
          <p>{temporaryPinText(customerId)}</p>
          <p className="phone-pin">
            <code>{temporaryPin}</code>
          </p>
          <p>
            Valid until <ExactTime at={expiresAt} />
          </p>
          <p className="hint">
            Read it to the customer now. It is shown only once and cannot be looked up later. It stays on the Phone
            screen until you confirm that you have noted it.
          </p>
        </div>
        <p>
          <button type="button" onClick={onNoted}>
            I have noted it
          </button>
        </p>
      </div>
    </section>
  );
}

/** Seals all PINs and keys again with the current key, batch by batch, and shows its progress. */
function KeyRotation() {
  const [isAsked, setIsAsked] = useState(false);
  const [counts, setCounts] = useState<RotationCounts>();
  return (
    <section className="card">
      <h2>Encryption keys</h2>
      <p className="muted">
        Re-encrypts all PINs and signing keys with the current key (PIN_ENCRYPTION_KEY). Use it after you change that
        key.
      </p>
      <p>
        <button type="button" onClick={() => setIsAsked(true)}>
          Rotate keys
        </button>
      </p>
      <div role="status">
        {counts !== undefined && (
          <p>{`${counts.examined} examined, ${counts.resealed} re-encrypted, ${counts.unreadable} unreadable.`}</p>
        )}
        {counts !== undefined && counts.unreadable > 0 && (
          <p>None of this server's keys can decrypt the unreadable ones. Keep the old keys.</p>
        )}
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Re-encrypt everything with the current key?"
          effect="This re-encrypts all PINs and signing keys in batches of 50. Customers are not affected. If none is unreadable, you can remove the keys in PIN_ENCRYPTION_KEYS_OLD."
          action="Rotate keys"
          isDangerous={false}
          onConfirm={() => rotateKeys(setCounts)}
          onClose={() => setIsAsked(false)}
        />
      )}
    </section>
  );
}
