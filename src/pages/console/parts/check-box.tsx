import type { JSX } from 'preact';

/** A box to tick with what it means. */
export function CheckBox({ name, label }: { readonly name: string; readonly label: string }): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" name={name} />
      <span>{label}</span>
    </label>
  );
}
