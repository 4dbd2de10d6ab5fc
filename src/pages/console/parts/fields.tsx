import type { ComponentChildren, JSX } from 'preact';

/** A control with its name above it, and a word on it below. */
export function Field(props: {
  readonly label: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <label class="field">
      <span class="label">{props.label}</span>
      {props.children}
      {props.hint !== undefined && <span class="hint">{props.hint}</span>}
    </label>
  );
}
