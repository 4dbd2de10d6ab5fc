import type { JSX } from 'preact';
import { CopyButton } from '../parts/copy-button.tsx';

/** A key that was just made, until it is hidden: nothing shows it a second time. */
export function ShownKey(props: { readonly value: string; readonly onClose: () => void }): JSX.Element {
  return (
    <div class="card shown-key" role="group" aria-label="The new key">
      <p>
        <strong>Copy it now.</strong> The key is shown only once; the service keeps its hash.
      </p>
      <div class="copied">
        <code>{props.value}</code>
        <CopyButton text={props.value} what="key" />
      </div>
      <button type="button" onClick={props.onClose}>
        I have it
      </button>
    </div>
  );
}
