import { placeholderOf } from '#agent/redaction/placeholder.ts';
import type { Directive, Instructions } from './directive.ts';

const STORED_PASSWORD =
  /\bpassword\s+is\s+(?:kept\s+|stored\s+)?(?:as|in)\s+(?:the\s+)?secret\s+["'“]?(?<name>[\w.-]+?)["'”]?(?=[\s,.]|$)/i;
const PASSWORD = /\bpassword\s+is\s+["'“]?(?<name>[^\s"'”]+?)["'”]?(?=[,.]?(?:\s|$))/i;

/** What only tells something, and asks for nothing to be done. */
const TOLD: readonly Directive['kind'][] = ['open', 'headline', 'avoid', 'assign', 'place', 'mention'];

/** Brings directives together that were told in several places; unclear when one of them stays without what it needs. */
export function tidy(directives: readonly Directive[], goal: string): Instructions {
  const isTold = directives.every(({ kind }) => TOLD.includes(kind));
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

/** The password of a log-in that is told in a sentence of its own. */
function withPassword(directives: readonly Directive[], goal: string): Directive[] {
  const stored = STORED_PASSWORD.exec(goal)?.groups?.['name'];
  const told = PASSWORD.exec(goal)?.groups?.['name'] ?? '';
  const password = stored === undefined ? told : placeholderOf(stored);
  return directives.map((directive) =>
    directive.kind === 'login' && directive.password === '' ? { ...directive, password } : directive,
  );
}

/** "Register with the name X. Press Register.": the second is the first. */
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

/** "Register with the name X. I don't want the newsletter.": what is filled in comes before what sends it. */
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
