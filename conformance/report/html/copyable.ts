import { type Markup, html } from './markup.ts';

/** A shell line that can be read, selected, and with a script copied. */
export function copyable(label: string, text: string): Markup {
  return html`<div class="copyable"><span class="label">${label}</span><code tabindex="0">${text}</code>
<button type="button" class="copy" aria-label="Copy the ${label} line">Copy</button></div>`;
}
