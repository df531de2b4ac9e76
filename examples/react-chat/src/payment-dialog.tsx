/** Shown if the user must pay usage claims before the oracle answers. The message waits in the queue. */
import { useEffect, useRef } from "react";

export function PaymentDialog({
  claims,
  onClose,
}: {
  readonly claims: readonly string[];
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (claims.length > 0) dialog.current?.showModal();
  }, [claims]);
  return (
    <dialog ref={dialog} aria-labelledby="payment-title" onClose={onClose}>
      <h2 id="payment-title">A payment is due</h2>
      <p>The oracle answers again once {claims.length === 1 ? "this claim is" : "these claims are"} paid:</p>
      <ul>
        {claims.map((claim) => (
          <li key={claim}>
            <code>{claim}</code>
          </li>
        ))}
      </ul>
      <p className="quiet">Your message is kept below: choose “Send again” after paying.</p>
      <form method="dialog" className="row">
        <button type="submit" className="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}
