/** Asks before the keys are removed, names what would be lost, and offers to leave the chat, which is another identity. */
import { createContext, useContext, useState } from "react";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { unsaved } from "../kit/leave-guard.tsx";
import { signOut } from "../session/sign-out.ts";
import { usePageSettings } from "./page-settings-context.ts";

/** Deletes the data of this browser's chat identity at the oracle, then the identity. The chat's code is loaded for it. */
export const LeaveChat = createContext<() => Promise<void>>(() => Promise.resolve());

export function SignOutDialog({ onClose }: { readonly onClose: () => void }) {
  const { surfaces } = usePageSettings();
  const announce = useAnnounce();
  const leaveChat = useContext(LeaveChat);
  const [losses] = useState(unsaved);
  const [leavesChat, setLeavesChat] = useState(false);
  const leave = async (): Promise<void> => {
    signOut();
    if (!leavesChat) return;
    await leaveChat();
    announce("You have left the chat.");
  };
  return (
    <ConfirmDialog
      title="Sign out?"
      effect={
        <div className="stack">
          {[
            ...losses,
            "The keys, and all data read with them, are removed from every tab of this console. Unsaved changes in other tabs are lost.",
          ].map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {surfaces.includes("oracle") && (
            <label className="row top">
              <input type="checkbox" checked={leavesChat} onChange={(event) => setLeavesChat(event.target.checked)} />
              <span>
                Leave the chat too
                <span className="hint">
                  Deletes your conversations, everything that the oracle remembers about you, and this browser's chat
                  key. This cannot be undone.
                </span>
              </span>
            </label>
          )}
        </div>
      }
      action={losses.length > 0 ? "Sign out and discard" : "Sign out"}
      isDangerous={losses.length > 0 || leavesChat}
      onConfirm={leave}
      onClose={onClose}
    />
  );
}
