/** Asks before the keys go, names what is lost with them, and offers to leave the chat, which is another identity. */
import { createContext, useContext, useState } from "react";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { unsaved } from "../kit/unsaved.ts";
import { signOut } from "../session/sign-out.ts";
import { shellTexts } from "../texts/shell.ts";
import { usePageSettings } from "./page-settings-context.ts";

/** Deletes what this browser's chat identity has at the oracle, then the identity. The chat's code is loaded for it. */
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
    announce(shellTexts.leftChat);
  };
  return (
    <ConfirmDialog
      title={shellTexts.signOutTitle}
      effect={
        <div className="stack">
          {[...losses, shellTexts.signOutEffect].map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {surfaces.includes("oracle") && (
            <label className="row top">
              <input type="checkbox" checked={leavesChat} onChange={(event) => setLeavesChat(event.target.checked)} />
              <span>
                {shellTexts.leaveChat}
                <span className="hint">{shellTexts.leaveChatHint}</span>
              </span>
            </label>
          )}
        </div>
      }
      action={losses.length > 0 ? shellTexts.signOutDiscard : shellTexts.signOutAction}
      isDangerous={losses.length > 0 || leavesChat}
      onConfirm={leave}
      onClose={onClose}
    />
  );
}
