import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

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
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Closed before it is taken away: only then the focus goes back to where it was.
    return () => shown?.close();
  }, []);
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
