import type { Directive } from '../instructions/directive.ts';
import { wordsOf } from '../page/words.ts';
import { unreachable } from '#agent/answer/unreachable.ts';
import { assign, choose, replaceText, setField, tick } from './fill.ts';
import { begin, goToPlace } from './go-to-place.ts';
import type { Walker } from './walker.ts';

/** What gives fields their values. */
type Value = Extract<Directive, { kind: 'assign' | 'set' | 'choose' | 'tick' | 'replace' }>;
/** What gives fields their values, or says what these are about. */
export type Filling = Value | Extract<Directive, { kind: 'headline' | 'place' | 'mention' | 'avoid' | 'agree' }>;

const VALUES: readonly Directive['kind'][] = ['assign', 'set', 'choose', 'tick', 'replace'];
const FILLING: readonly Directive['kind'][] = [...VALUES, 'headline', 'place', 'mention', 'avoid', 'agree'];

/** Whether a directive is of that kind. */
export function isFilling(directive: Directive): directive is Filling {
  return FILLING.includes(directive.kind);
}

/** Fills in what a directive says, or takes note of what it is about. */
export async function doFilling(directive: Filling, walker: Walker): Promise<void> {
  if (isValue(directive)) return giveValue(directive, walker);
  switch (directive.kind) {
    case 'headline':
      return begin(walker, directive.what);
    case 'place':
      return goToPlace(walker, directive.where);
    case 'mention':
      walker.named = wordsOf(directive.what);
      return;
    case 'avoid':
    case 'agree':
      return;
    default:
      return unreachable(directive);
  }
}

function isValue(directive: Filling): directive is Value {
  return VALUES.includes(directive.kind);
}

async function giveValue(directive: Value, walker: Walker): Promise<void> {
  switch (directive.kind) {
    case 'assign':
      for (const piece of directive.pieces) await assign(walker, piece);
      return;
    case 'set':
      return setField(walker, directive.field === '' ? (walker.place ?? '') : directive.field, directive.value);
    case 'choose':
      return choose(walker, directive.option, directive.field);
    case 'tick':
      return tick(walker, directive.what, directive.isOn);
    case 'replace':
      return replaceText(walker, directive.from, directive.to);
    default:
      return unreachable(directive);
  }
}
