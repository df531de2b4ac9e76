/** An address that names no screen. */
import { Link } from "wouter";
import { ScreenHeader } from "../kit/screen-header.tsx";

export function NotFound() {
  return (
    <>
      <ScreenHeader title="Page not found" lead="The address may be misspelt, or the page no longer exists." />
      <p>
        <Link href="/" className="button">
          Go to the home screen
        </Link>
      </p>
    </>
  );
}
