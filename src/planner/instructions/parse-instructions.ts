import { getPlaceholder } from '#agent/redaction/secrets.ts';
import { markPattern, quote, type Quoted } from '../quoting.ts';
import type { Directive, Instructions } from './directive.ts';
import { readSentence } from './read-sentence.ts';
import { splitSentences } from './split-text.ts';

const goalCharactersMax = 10_000;
const sentenceCharactersMax = 1_000;
const directivesMax = 60;

/**
 * Parses a goal, sentence by sentence, into directives. What a name means on a page is decided later, when the page is
 * open. If a part of a goal is not understood, the whole goal is `unclear`, because half of an instruction can do harm.
 * Pure: never throws, and equal goals yield equal directives.
 */
export function parseInstructions(goal: string): Instructions {
  if (goal.length > goalCharactersMax) return { kind: 'unclear', part: `${goal.slice(0, 100)}…` };
  const quoted = quote(goal.replace(/\s+/g, ' '));
  const { text, address } = withoutAddress(quoted);
  const directives: Directive[] = address === null ? [] : [{ kind: 'open', url: address }];
  for (const sentence of splitSentences({ ...quoted, text })) {
    if (sentence.text.length > sentenceCharactersMax) return { kind: 'unclear', part: quoted.restore(sentence.text) };
    const read = readSentence(sentence, { quoted, before: directives });
    if ('part' in read) return { kind: 'unclear', part: quoted.restore(read.part) };
    directives.push(...read);
  }
  if (directives.length > directivesMax) return { kind: 'unclear', part: goal.slice(0, 100) };
  return tidy(directives, goal);
}

/**
 * Removes the only URL of a goal, with words that introduce it ("at", "open", "the page is on") and a leading "and" or
 * comma. Returns the URL as `address`, because the task starts there. If the goal has no URL or several, returns the
 * text unchanged and a null `address`.
 */
function withoutAddress(quoted: Quoted): { readonly text: string; readonly address: string | null } {
  const marks = [...quoted.text.matchAll(new RegExp(markPattern, 'g'))].map(([mark]) => mark);
  const addresses = marks.filter((mark) => /^(?:https?|data):/i.test(quoted.restore(mark)));
  const [only] = addresses;
  if (only === undefined || addresses.length > 1) return { text: quoted.text, address: null };
  const named = new RegExp(`(?:^|\\s)(?:${placesPattern})?${only}`, 'i');
  const text = quoted.text.replace(named, ' ').replace(/(^|[.!?;])\s*,/g, '$1');
  return {
    text: text
      .replace(/^\s*(?:,|and\b|\.)\s*/, '')
      .replace(/\s+([.,;?!])/g, '$1')
      .trim(),
    address: quoted.unquote(only),
  };
}

const placesPattern =
  '(?:(?:please\\s+)?(?:open|visit|load|go\\s+to|navigate\\s+to)\\s+(?=\\S+(?:\\s*[.,;]|\\s+and\\b|\\s*$))|(?:at|on|from|in|to|of|under|via)\\s+|the\\s+\\w+\\s+(?:is|are)\\s+(?:at|on)\\s+)';

const storedPassword =
  /\bpassword\s+is\s+(?:kept\s+|stored\s+)?(?:as|in)\s+(?:the\s+)?secret\s+["'“]?(?<name>[\w.-]+?)["'”]?(?=[\s,.]|$)/i;
const passwordPattern = /\bpassword\s+is\s+["'“]?(?<name>[^\s"'”]+?)["'”]?(?=[,.]?(?:\s|$))/i;

/**
 * Kinds of directives that need a directive of another kind: a goal with only these kinds is no task. As an exception,
 * a goal with only `open` directives is a task.
 */
const toldKinds: readonly Directive['kind'][] = ['open', 'headline', 'avoid', 'assign', 'place', 'mention'];

/**
 * Combines the directives of all sentences, for example a login with its password. Returns `unclear` if the directives
 * are no task, or if a login has no password.
 */
function tidy(directives: readonly Directive[], goal: string): Instructions {
  const isTold = directives.every(({ kind }) => toldKinds.includes(kind));
  if (isTold) {
    const isPlain = directives.length > 0 && directives.every(({ kind }) => kind === 'open');
    return isPlain ? { kind: 'understood', directives } : { kind: 'unclear', part: goal.trim().slice(0, 100) };
  }
  const whole = withPassword(sendingLast(withoutTwice(directives)), goal);
  const isOpen = whole.some((directive) => directive.kind === 'login' && directive.password === '');
  if (isOpen) return { kind: 'unclear', part: goal.trim().slice(0, 100) };
  const agrees = /\bconfirm\s+(?:it\s+)?if\b|\bif\s+you(?:['’]re|\s+are)\s+asked\b/i.test(goal);
  return { kind: 'understood', directives: agrees ? [{ kind: 'agree' }, ...whole] : whole };
}

/**
 * Adds the password to a login directive that has none. Another sentence of the goal gives the password, or the name of
 * a stored secret.
 */
function withPassword(directives: readonly Directive[], goal: string): Directive[] {
  const stored = storedPassword.exec(goal)?.groups?.['name'];
  const told = passwordPattern.exec(goal)?.groups?.['name'] ?? '';
  const password = stored === undefined ? told : getPlaceholder(stored);
  return directives.map((directive) =>
    directive.kind === 'login' && directive.password === '' ? { ...directive, password } : directive,
  );
}

/** Removes the first of two submissions that mean the same, as in "Register with the name X. Press Register." */
function withoutTwice(directives: readonly Directive[]): Directive[] {
  return directives.filter((directive, at) => {
    if (directive.kind !== 'submit' || directive.what !== '') return true;
    return !directives.slice(at + 1).some((later) => {
      if (later.kind === 'submit')
        return (
          later.verb.toLowerCase() === directive.verb.toLowerCase() &&
          directive.verb !== 'continue' &&
          directives[at - 1]?.kind === 'assign' &&
          directives[at - 2]?.kind === 'headline'
        );
      return later.kind === 'press' && later.what.toLowerCase() === directive.verb.toLowerCase();
    });
  });
}

/**
 * Moves a submission behind the values that follow it in the goal: "Register with the name X. I don't want the
 * newsletter."
 */
function sendingLast(directives: readonly Directive[]): Directive[] {
  const at = directives.findIndex(
    ({ kind }, index) =>
      kind === 'submit' && directives[index - 1]?.kind === 'assign' && directives[index - 2]?.kind === 'headline',
  );
  const rest = directives.slice(at + 1);
  const fills = rest.findIndex(({ kind }) => !['assign', 'set', 'choose', 'tick'].includes(kind));
  const count = fills === -1 ? rest.length : fills;
  const sending = directives[at];
  if (sending === undefined) return [...directives];
  return [...directives.slice(0, at), ...rest.slice(0, count), sending, ...rest.slice(count)];
}
