import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useId, useState, useLayoutEffect, useRef } from 'preact/hooks';

/** What a dialog asks. */
export interface AskDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What its button does, such as `Delete`. */
  readonly verb: string;
  readonly onAnswer: (isYes: boolean) => void;
}

/** Asks before something that cannot be undone. The browser keeps the focus inside and gives it back afterwards; Escape says no. */
function AskDialog({ title, children, verb, onAnswer }: AskDialogProps): JSX.Element {
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

/** What a button does, and what it asks before. */
export interface ConfirmButtonProps {
  readonly label: string;
  /** For those who do not see what it belongs to. @defaultValue the label */
  readonly name?: string;
  readonly title: string;
  readonly children: ComponentChildren;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone. */
export function ConfirmButton({ label, name, title, children, isBusy, onConfirm }: ConfirmButtonProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const button = useOpener(isAsking);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet-danger"
        aria-label={name ?? label}
        disabled={isBusy === true}
        onClick={() => setAsking(true)}
      >
        {label}
      </button>
      {isAsking && (
        <AskDialog
          title={title}
          verb={label}
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) onConfirm();
          }}
        >
          {children}
        </AskDialog>
      )}
    </>
  );
}

/** A dialog that is open as long as it is there: the browser keeps the focus inside. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Closed before it is taken away: only then the focus goes back to where it was.
    return () => shown?.close();
  }, []);
  return dialog;
}

/** The button that opens a dialog, which has the focus again when that is closed. */
export function useOpener(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    // Back to where the dialog came from.
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}
