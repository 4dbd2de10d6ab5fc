/** Characters without width that senders put in to steer previews. */
const WIDTHLESS = /\u00ad|\u034f|\u200b|\u2060|\ufeff/g;

/** A text with single blanks, without blanks at the ends of lines, and with at most one empty line in a row. */
export function tidied(text: string): string {
  const lines = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(WIDTHLESS, '')
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/g, ' ').trim());
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
  return kept.join('\n').trim();
}
