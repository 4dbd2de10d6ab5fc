import { safeText } from '../../core/safe-text.ts';

/** A piece of safe HTML. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A value in a template. Text is escaped, markup is inserted unchanged, the items of a list are rendered one after
 * another, undefined is omitted.
 */
export type Part = Markup | string | number | undefined | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag that escapes every inserted text. Attributes must have double quotes. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    literals.map((literal, index) => literal + (index < parts.length ? rendered(parts[index]) : '')).join(''),
  );
}

/** Marks text of the suite as safe HTML: a style sheet, a script, a drawing. Must not be used for text of a target. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function rendered(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map((one) => rendered(one)).join('');
}

function escaped(text: string): string {
  return safeText(text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign));
}

/** Renders a shell line that users can select, with a button that copies it. */
export function copyable(label: string, text: string): Markup {
  return html`<div class="copyable"><span class="label">${label}</span><code tabindex="0">${text}</code>
<button type="button" class="copy" aria-label="Copy the ${label} line">Copy</button></div>`;
}

/** Renders a sentence and formats its words in backticks as code. */
export function prose(text: string): Markup {
  const pieces = text.split(/`([^`]+)`/);
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** A section of the page. */
export interface Section {
  id: string;
  title: Part;
  /** True if the section is expanded at first. @defaultValue false */
  open?: boolean;
}

/** Renders a section with its title. Unless `open` is true, it is collapsed until a reader or a link expands it. */
export function foldedSection({ id, title, open = false }: Section, body: Part): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title"><details class="part"${open ? html` open` : undefined}>
<summary><h2 id="${id}-title">${title}</h2></summary>
${body}
</details></section>`;
}
