import { type Markup, html } from './markup.ts';

/** A sentence whose words in backticks are code. */
export function prose(text: string): Markup {
  const pieces = text.split(/`([^`]+)`/);
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}
