/** How any part asks for the sign-in dialog, which the shell owns. */
import { createContext, useContext } from "react";

export const SignInRequest = createContext<() => void>(() => undefined);

export function useSignInRequest(): () => void {
  return useContext(SignInRequest);
}
