/** A fact in a list of facts (`<dl className="facts">`): its name and its value. */
import type { ReactNode } from "react";
import { Age, ExactTime } from "./age.tsx";
import { CopyButton } from "./copy-button.tsx";

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** A text that is copied unchanged: an id, an address. */
export function CopiedText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span className="row">
      <code className="wraps">{text}</code> <CopyButton text={text} label={label} />
    </span>
  );
}

/** A time by its age and exactly. */
export function AgeAndTime({ at }: { readonly at: string }) {
  return (
    <>
      <Age at={at} />{" "}
      <span className="muted small">
        (<ExactTime at={at} />)
      </span>
    </>
  );
}
