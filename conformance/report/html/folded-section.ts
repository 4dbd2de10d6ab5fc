import { type Markup, type Part, html } from './markup.ts';

/** A part of the page. */
export interface Section {
  id: string;
  title: Part;
  /** Open when the page is opened. @defaultValue false */
  open?: boolean;
}

/** A part of the page under its title, folded away until a reader or a link opens it. */
export function foldedSection({ id, title, open = false }: Section, body: Part): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title"><details class="part"${open ? html` open` : undefined}>
<summary><h2 id="${id}-title">${title}</h2></summary>
${body}
</details></section>`;
}
