/** A form as `useForm` runs it: it asks before entries are lost, and ends with its errors and its buttons. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { ErrorPanel, ProblemList } from "./loaded.tsx";
import type { FormState } from "./use-form.ts";

export interface FormProps {
  readonly form: FormState;
  /** Whether there are unsaved entries. */
  readonly isDirty: boolean;
  /** What would be lost, as a sentence. */
  readonly loss: string;
  readonly className?: string;
  readonly foot: ReactNode;
  readonly children: ReactNode;
}

export function Form({ form, isDirty, loss, className = "stack", foot, children }: FormProps) {
  return (
    <>
      <LeaveGuard isDirty={isDirty && form.phase !== "done"} loss={loss} />
      <form
        ref={form.element}
        className={className}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        {/* Entries that the user makes while the form is being sent would be lost. */}
        <div className="form-fields" inert={form.phase !== "open"}>
          {children}
        </div>
        {foot}
      </form>
    </>
  );
}

export interface FormFootProps {
  readonly form: FormState;
  readonly submitLabel: string;
  readonly busyLabel: string;
  readonly cancelHref?: string;
  /** What may have happened if there was no answer. */
  readonly whenLost?: string | undefined;
  /** Shown instead of the failure. */
  readonly refusal?: ReactNode;
}

export function FormFoot({ form, submitLabel, busyLabel, cancelHref, whenLost, refusal }: FormFootProps) {
  const isSending = form.phase === "sending";
  return (
    <>
      {refusal === undefined ? <Faults form={form} whenLost={whenLost} /> : refusal}
      <div className="row wrap end">
        {cancelHref !== undefined && (
          <Link href={cancelHref} className="button">
            {kitTexts.cancel}
          </Link>
        )}
        <button type="submit" className="primary" aria-disabled={isSending}>
          {isSending ? busyLabel : submitLabel}
        </button>
      </div>
    </>
  );
}

function Faults({ form, whenLost }: Pick<FormFootProps, "form" | "whenLost">) {
  const { failure, problems, others } = form;
  if (failure !== undefined && (failure.problems.length === 0 || others.length > 0)) {
    return (
      <div className="stack tight">
        <ErrorPanel error={failure} />
        {failure.status === 0 && whenLost !== undefined && <p>{whenLost}</p>}
      </div>
    );
  }
  if (problems.length === 0) return null;
  return (
    <div className="notice danger" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          {others.length < problems.length
            ? "Some entries are not valid. The reason is shown next to each of them."
            : "This cannot be sent yet:"}
        </p>
        {others.length > 0 && <ProblemList problems={others} />}
      </div>
    </div>
  );
}
