import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useId, useState, useLayoutEffect, useRef } from 'preact/hooks';

/** Options of a confirmation dialog. */
export interface AskDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Label of the confirming button, such as `Delete`. */
  readonly verb: string;
  readonly onAnswer: (isYes: boolean) => void;
}

/**
 * Asks before an action that cannot be undone. The browser keeps the focus inside and restores it afterwards; Escape
 * cancels.
 */
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

/** Options of a button that asks before its action. */
export interface ConfirmButtonProps {
  readonly label: string;
  /** Accessible name of the button. @defaultValue the label */
  readonly name?: string;
  readonly title: string;
  readonly children: ComponentChildren;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
}

/** Button for an action that cannot be undone. */
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

/** Opens a modal dialog while its component is mounted; the browser keeps the focus inside. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Closed before removal, because only then the focus is restored.
    return () => shown?.close();
  }, []);
  return dialog;
}

/** Restores the focus to the opening button after its dialog is closed. */
export function useOpener(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    // Back to the button that opened the dialog.
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}
