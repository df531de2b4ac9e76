/** An address that names no screen. */
import { Link } from "wouter";
import { ScreenHeader } from "../kit/screen-header.tsx";

export function NotFound() {
  return (
    <>
      <ScreenHeader title="There is no such page" lead="The address may be misspelt, or what it named is gone." />
      <p>
        <Link href="/" className="button">
          Go to the home screen
        </Link>
      </p>
    </>
  );
}
