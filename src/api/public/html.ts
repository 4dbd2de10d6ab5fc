/** A piece of HTML, which `html` inserts without escaping. */
export interface Html {
  readonly markup: string;
}

type Part = string | Html | readonly Html[];

/**
 * Creates HTML from a template. Inserted texts are escaped, and inserted {@link Html} stays as it is. Values may be
 * inserted into the content of elements and into quoted attributes.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return {
    markup: strings
      .map((text, index) => (index === 0 ? text : `${renderPart(parts[index - 1] ?? '')}${text}`))
      .join(''),
  };
}

function renderPart(part: Part): string {
  if (typeof part === 'string') return escaped(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);
}
