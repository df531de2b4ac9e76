/** The files of the next message: each with its name, its progress, and a button that removes it. */
import { Icon } from "../kit/icon.tsx";
import { chatTexts } from "../texts/chat.ts";
import type { AttachedFile } from "./attached-files.ts";

export interface AttachedListProps {
  readonly files: readonly AttachedFile[];
  readonly onRemove: (file: AttachedFile) => void;
}

export default function AttachedList({ files, onRemove }: AttachedListProps) {
  const words = chatTexts.attach;
  return (
    <ul className="chat-files" aria-label={words.title}>
      {files.map((file) => (
        <li key={file.key} className="row">
          {file.preview !== undefined && <img src={file.preview} alt="" />}
          <span className="grow">
            <span className="chat-file-name">{file.name}</span>
            <FileState file={file} />
          </span>
          <button
            type="button"
            className="ghost"
            aria-label={words.remove(file.name)}
            title={words.remove(file.name)}
            onClick={() => onRemove(file)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function FileState({ file: { name, size, state } }: { readonly file: AttachedFile }) {
  const words = chatTexts.attach;
  if (state.kind === "sending") return <progress aria-label={words.sending(name)} />;
  if (state.kind === "ready") return <span className="muted small">{words.size(size)}</span>;
  return (
    <span className="chat-file-fault small" role="alert">
      {state.reason}
    </span>
  );
}
