import { withoutEnd } from '#lib/trim-end.ts';

const TITLE_MAX = 60;

/**
 * A short title for a goal: its first words on one line, 1-60 characters, with addresses shortened to their host. A goal
 * without any visible character is called "Untitled".
 */
export function titleOf(goal: string): string {
  // Only the beginning can matter, and a goal may be very long.
  const line = goal
    .slice(0, 2_000)
    .replace(/https?:\/\/\S+/gi, hostOf)
    .replace(/data:\S+/gi, 'a data page')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  if (line === '') return 'Untitled';
  const characters = Array.from(line);
  if (characters.length <= TITLE_MAX) return withoutEnd(line, /[\s.,;:]/) || line;
  const cut = characters.slice(0, TITLE_MAX - 1).join('');
  const lastBlank = cut.lastIndexOf(' ');
  // A single word longer than the title is cut inside; otherwise the last word, which may be cut off, is left out.
  return `${withoutEnd(lastBlank > 0 ? cut.slice(0, lastBlank) : cut, /[\s.,;:]/)}…`;
}

function hostOf(address: string): string {
  const bare = withoutEnd(address, /[.,;:!?)'"]/);
  const trailing = address.slice(bare.length);
  const host = URL.parse(bare)?.hostname;
  return `${host === undefined || host === '' ? 'a page' : host.replace(/^www\./, '')}${trailing}`;
}
