import { createMatcher, createSpans, type OnHit, outside, type Place, replaced, getUnits } from './matcher.ts';
import { createRedactor, type Redactor } from './redactor.ts';
import { placeholdersIn, type Secret } from './secrets.ts';

const opening = new Set('"“«`\'‘');
const closing = new Set('"”»`\'’');

/** Matches a value that could be a common word or number: at most 11 letters, or at most 3 characters of any kind. */
const couldBeAnyWord = /^(?:\p{L}{1,11}|.{0,3})$/su;

/**
 * Returns a task text for storage and display: secret values are replaced by their placeholders, which the agent
 * understands. Only exact occurrences count. A value that could be a common word or number counts only as a complete
 * quotation, and never as the name of a secret. Takes linear time.
 */
export function hideInTask(task: string, secrets: readonly Secret[]): string {
  if (secrets.length === 0) return task;
  const names = new Set(secrets.map(({ name }) => name));
  const mentions = mentionsIn(task, names);
  const forms = secrets.map(({ name, value }) => ({ name, text: value, isBound: couldBeAnyWord.test(value) }));
  const spans = createSpans();
  const onHit: OnHit = (pattern, start, end) => {
    const form = forms[pattern];
    if (form === undefined || (form.isBound && !isQuoted(task, start, end))) return;
    spans.add({ name: form.name, start, end });
  };
  createMatcher(forms).search(getUnits(task), onHit, (end) => closing.has(task[end] ?? ''));
  const named = [...placeholdersIn(task, names), ...mentions].toSorted((one, other) => one.start - other.start);
  return replaced(task, outside(named, spans.all));
}

/** Returns whether a part of a task is a complete quotation and not the quoted name of a secret. */
function isQuoted(task: string, start: number, end: number): boolean {
  if (!opening.has(task[start - 1] ?? '') || !closing.has(task[end] ?? '')) return false;
  return !/\bsecret\s{1,9}$/iu.test(task.slice(Math.max(0, start - 17), start - 1));
}

/**
 * Returns the ranges of a task text that name a secret, as in "the secret 'password'", in order. Each range begins at
 * the word "secret".
 */
function mentionsIn(task: string, names: ReadonlySet<string>): Place[] {
  const [text, wanted] = [lowered(task), [...names].map(lowered)];
  return Array.from(task.matchAll(/\bsecret\s+/giu)).flatMap(({ 0: word, index }) => {
    const end = Math.max(...wanted.map((name) => findNameEnd(text, index + word.length, name)));
    return end < 0 ? [] : [{ start: index, end }];
  });
}

/**
 * Returns the end of a name at a position, quoted or followed by a blank or the end of the text; -1 if the text has no
 * such name at this position.
 */
function findNameEnd(text: string, at: number, name: string): number {
  const end = at + name.length;
  if (opening.has(text[at] ?? '') && text.startsWith(name, at + 1) && closing.has(text[end + 1] ?? '')) return end + 2;
  return text.startsWith(name, at) && /^(?!\S)/u.test(text.slice(end, end + 2)) ? end : -1;
}

/** Returns a text in lower case with the same length. `İ` is replaced first, because its lower case has two units. */
function lowered(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** Maximum size of names and values of the secrets of one browser in bytes; limits time and memory of the redactor. */
export const knownBytesMax = 131_072;

/** Secrets that were or could be typed into one browser; kept in memory only. */
export interface KnownSecrets {
  readonly size: number;
  /** Adds secrets without duplicates. Throws when the total exceeds `knownBytesMax` bytes. */
  add(secrets: readonly Secret[]): void;
  /** Returns the redactor of all secrets; created again only after secrets were added. */
  redactor(): Redactor;
}

/** Creates an empty set of secrets. */
export function createKnownSecrets(): KnownSecrets {
  const known = new Map<string, Secret>();
  let bytes = 0;
  let redactor = createRedactor([]);
  return {
    get size() {
      return known.size;
    },
    add(secrets) {
      const added = new Map(secrets.map((secret) => [JSON.stringify([secret.name, secret.value]), secret]));
      for (const key of known.keys()) added.delete(key);
      if (added.size === 0) return;
      let wanted = bytes;
      for (const { name, value } of added.values()) wanted += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (wanted > knownBytesMax)
        throw new Error(
          `The tasks of this session gave secrets of ${wanted} bytes, and its browser can hide ${knownBytesMax}: create the task in a new session.`,
        );
      for (const [key, secret] of added) known.set(key, secret);
      bytes = wanted;
      redactor = createRedactor([...known.values()]);
    },
    redactor: () => redactor,
  };
}
