/** Shows a new secret, this once. */
import { OnceDialog } from "../kit/once-dialog.tsx";

const secretTitles = { key: "Store the new key now", webhook: "Store the signing secret now" };

const secretLead = {
  key: "It is shown this once: the registry keeps a digest of it alone. Who has it can do all that its scopes allow.",
  webhook: "It is shown this once. The receiver checks with it that messages come from here.",
};

const secretLabel = { key: "API key", webhook: "Signing secret" };

const copySecret = { key: "Copy the key", webhook: "Copy the secret" };

export interface SecretDialogProps {
  readonly kind: "key" | "webhook";
  readonly secret: string;
  readonly onStored: () => void;
}

export function SecretDialog({ kind, secret, onStored }: SecretDialogProps) {
  return (
    <OnceDialog
      title={secretTitles[kind]}
      lead={secretLead[kind]}
      shown={secret}
      label={secretLabel[kind]}
      copyLabel={copySecret[kind]}
      confirmation="I have stored it where I can find it again"
      reminder="First store it and say so above: nobody can show it again."
      loss="The secret on the screen is shown this once. If you have not stored it, it is lost."
      onDone={onStored}
    />
  );
}
