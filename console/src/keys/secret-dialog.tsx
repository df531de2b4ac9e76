/** Shows a new secret, this once. */
import { OnceDialog } from "../kit/once-dialog.tsx";
import { keysTexts } from "../texts/keys.ts";

export interface SecretDialogProps {
  readonly kind: "key" | "webhook";
  readonly secret: string;
  readonly onStored: () => void;
}

export function SecretDialog({ kind, secret, onStored }: SecretDialogProps) {
  return (
    <OnceDialog
      title={keysTexts.secretTitles[kind]}
      lead={keysTexts.secretLead[kind]}
      shown={secret}
      label={keysTexts.secretLabel[kind]}
      copyLabel={keysTexts.copySecret[kind]}
      confirmation={keysTexts.haveStored}
      reminder={keysTexts.storeFirst}
      loss={keysTexts.leaveSecret}
      onDone={onStored}
    />
  );
}
