import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useModal } from './use-modal.ts';

/** What a dialog asks. */
export interface AskDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What its button does, such as `Delete`. */
  readonly verb: string;
  readonly onAnswer: (isYes: boolean) => void;
}

/** Asks before something that cannot be undone. The browser keeps the focus inside and gives it back afterwards; Escape says no. */
export function AskDialog({ title, children, verb, onAnswer }: AskDialogProps): JSX.Element {
  const dialog = useModal();
  const id = useId();
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onAnswer(false);
      }}
    >
      <h2 id={id}>{title}</h2>
      <p>{children}</p>
      <div class="buttons">
        <button type="button" onClick={() => onAnswer(false)}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => onAnswer(true)}>
          {verb}
        </button>
      </div>
    </dialog>
  );
}
