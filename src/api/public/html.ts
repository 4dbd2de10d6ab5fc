import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';

/** A piece of HTML; text becomes one only by being escaped. */
export interface Html {
  readonly markup: string;
}

type Part = string | Html | readonly Html[];

/** HTML from a template: texts are escaped, pieces stand as they are. Fit for element content and quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return {
    markup: strings.map((text, index) => (index === 0 ? text : `${markupOf(parts[index - 1] ?? '')}${text}`)).join(''),
  };
}

function markupOf(part: Part): string {
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

/** The bytes of an answer, of which a HEAD request has none read: the framework would read all of them to throw them away. */
export function bodyFor({ method }: Pick<FastifyRequest, 'method'>, bytes: Readable): Readable {
  return method === 'HEAD' ? bytes.destroy() : bytes;
}
