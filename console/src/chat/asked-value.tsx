/** A value that somebody is asked to approve. A text that reads as another value, such as `true`, stands in quotes and is named a text. */
import { chatTexts } from "../texts/chat.ts";
import { jsonText } from "../kit/json-text.ts";
import { visible } from "./visible.ts";

/** How JSON other than a number begins or is, and what shows nothing. */
const OTHER_JSON = /^\s*(?:["[{]|(?:true|false|null)?\s*$)/i;

export function AskedValue({ value }: { readonly value: unknown }) {
  if (typeof value !== "string") return visible(jsonText(value));
  if (!OTHER_JSON.test(value) && Number.isNaN(Number(value))) return visible(value);
  const { asText, blankText } = chatTexts.question;
  return (
    <>
      {`"${visible(value)}" `}
      <span className="muted small">{value.trim() === "" ? blankText : asText}</span>
    </>
  );
}
