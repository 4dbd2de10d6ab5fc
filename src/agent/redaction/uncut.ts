import type { Redactor } from './redactor.ts';

/** A link of a page or a mail. */
interface Link {
  readonly text: string;
  readonly url: string;
}

/** Returns links without values. */
export async function shownLinks(links: readonly Link[], redactor: Redactor): Promise<Link[]> {
  const shown: Link[] = [];
  for (const { text, url } of links) shown.push({ text: await redactor.paced(text), url: await redactor.paced(url) });
  return shown;
}

/** Returns a text without values. One of `max` characters was cut and may end within a value: as many characters as the longest value has are removed from its end. */
export async function uncut(given: string, max: number, redactor: Redactor): Promise<string> {
  const shown = await redactor.paced(given);
  return given.length < max ? shown : shown.slice(0, shown.length - redactor.longest);
}
