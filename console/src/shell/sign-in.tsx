/** Lets any part below ask for the sign-in dialog, and shows it. */
import { useCallback, useState, type ReactNode } from "react";
import { SignInRequest } from "../kit/sign-in-request.ts";
import { SignInDialog } from "./sign-in-dialog.tsx";

export function SignIn({ children }: { readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const request = useCallback(() => setIsOpen(true), []);
  return (
    <SignInRequest value={request}>
      {children}
      {isOpen && <SignInDialog onClose={() => setIsOpen(false)} />}
    </SignInRequest>
  );
}
