/** Stands before the sign for a NUL character and before itself: a noncharacter, which no text is expected to hold. */
const mark = '\u{10fffe}';

/** A text as PostgreSQL can keep it, which knows no NUL character. */
export function storableText(text: string): string {
  if (!text.includes('\0') && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`);
}

/** The text that {@link storableText} was given. */
export function originalText(stored: string): string {
  if (!stored.includes(mark)) return stored;
  return stored.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark);
}
