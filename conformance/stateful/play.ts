import { succeeded } from '../harness/exchange.ts';
import type { Drive } from '../harness/scenario.ts';
import type { Actor } from './actor.ts';
import type { Moment, Turn } from './moment.ts';
import { type Script, actionsOf } from './script.ts';
import { watchThing } from './watch.ts';

/** Looks that follow the end of every script. */
const looksAfterEnd = 2;

/**
 * Plays one script: after every word there is a look, after a stop as many as its end takes. What still works at the end is
 * stopped, which is part of the script, and whatever is left is ended.
 */
export async function play(drive: Drive, actor: Actor, script: Script): Promise<Turn[]> {
  const [beginning = '', ...words] = script;
  const turns: Turn[] = [];
  try {
    turns.push(turnOf(beginning, [await actor.begin(beginning)]), turnOf(beginning, await actor.look(beginning)));
    for (const word of words) turns.push(...(await playWord(drive, actor, word)));
    if (!actor.isOver()) turns.push(...(await playWord(drive, actor, 'stop')));
    for (let count = 0; count < looksAfterEnd; count += 1) turns.push(turnOf('look', await actor.look('look')));
    return turns;
  } finally {
    await actor.leave();
  }
}

async function playWord(drive: Drive, actor: Actor, word: string): Promise<Turn[]> {
  // All are sent in the same tick, in the order in which they are written.
  const parts = await Promise.all(actionsOf(word).map((action) => actor.act(action, word)));
  const isStop = parts.flat().some(({ act, exchange }) => act === 'stop' && succeeded(exchange));
  const after = isStop ? await settle(drive, actor, word) : await actor.look(word);
  return [{ word, parts }, turnOf(word, after)];
}

async function settle(drive: Drive, actor: Actor, word: string): Promise<Moment[]> {
  const { moments, isLate } = await watchThing(drive, {
    deadlineMs: drive.target.polling.settleDeadlineMs,
    look: () => actor.look(word),
    isDone: () => actor.isOver(),
  });
  const last = moments.at(-1);
  return isLate && last !== undefined ? [...moments, { ...last, act: 'late' }] : moments;
}

function turnOf(word: string, moments: readonly Moment[]): Turn {
  return { word, parts: [moments] };
}
