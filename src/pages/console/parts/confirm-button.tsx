import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { AskDialog } from './dialogs.tsx';
import { useOpener } from './use-modal.ts';

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
