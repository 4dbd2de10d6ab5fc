import type { Placeholder, Template } from './read-template.ts';

/** The text of a template for one browser; its session is one word that stays the same for it. */
export function fillGaps(template: Template, { country, session }: { country: string; session: string }): string {
  const values: Record<Placeholder, string> = { country, COUNTRY: country.toUpperCase(), session };
  return template.map((piece) => (typeof piece === 'string' ? piece : values[piece.gap])).join('');
}
