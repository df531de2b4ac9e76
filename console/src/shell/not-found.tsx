/** An address that names no screen. */
import { Link } from "wouter";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { shellTexts } from "../texts/shell.ts";

export function NotFound() {
  return (
    <>
      <ScreenHeader title={shellTexts.notFoundTitle} lead={shellTexts.notFoundLead} />
      <p>
        <Link href="/" className="button">
          {shellTexts.goHome}
        </Link>
      </p>
    </>
  );
}
