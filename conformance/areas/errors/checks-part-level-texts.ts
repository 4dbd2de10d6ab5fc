import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { LevelCell } from '../common/scenarios-part-level-cells.ts';
import type { Probed } from '../common/scenarios-part-probe-cells.ts';
import { sessionRefusals } from '../v3-sessions/scenarios-part-session-refusals.ts';
import { taskRefusals } from '../v2-tasks/scenarios-part-task-refusals.ts';
import { answeredWith422 } from '../common/checks-part-expect-refused.ts';
import { levelTemplate, sameSet, supportedList, textsOf, wordsOf } from '../common/checks-part-refusal-text.ts';

const needs = [sessionRefusals, taskRefusals];

/** V2 and V3: the text of a refused pair. */
export const levelTextChecks: readonly Check[] = [
  check('ERR-09', { needs }, async (t) => {
    for (const { cell, exchange } of await refusedPairs(t)) {
      const named = textsOf(exchange).some((text) => /\bthinking_level\b/.test(text));
      t.expect(named, {
        cell: cell.key,
        exchange,
        member: '/detail',
        message: () => `expected a text that names thinking_level; found ${found(exchange)}`,
      });
    }
  }),
  check('ERR-10', { needs }, async (t) => {
    for (const { cell, exchange } of await refusedPairs(t)) {
      const list = supportedList(exchange, levelTemplate(cell.names, cell.level));
      t.expect(list !== undefined && (cell.supported.length === 0 || sameSet(wordsOf(list), cell.supported)), {
        cell: cell.key,
        exchange,
        member: '/detail',
        message: () =>
          `expected Model "${cell.model}" (provider "<provider>") does not support thinking_level="${cell.level}". Supported values: ${cell.supported.join(', ') || '<any list>'}; found ${found(exchange)}`,
      });
    }
  }),
  check('ERR-11', { needs }, async (t) => {
    let judged = false;
    for (const { cell, exchange } of await refusedPairs(t)) {
      const list = supportedList(exchange, levelTemplate(cell.names, cell.level));
      if (cell.supported.length < 2 || list === undefined) continue;
      const items = list.split(',').map((item) => item.trim());
      const message = `expected the levels separated by commas; found "${list}"`;
      t.expect(sameSet(items, wordsOf(list)), { cell: cell.key, exchange, member: '/detail', message });
      judged = true;
    }
    if (!judged) t.notTestable('no refusal had a list of levels behind the words of the template');
  }),
];

async function refusedPairs(t: CheckContext): Promise<Probed<LevelCell>[]> {
  const v3 = t.target.v3 === null ? [] : (await t.recording(sessionRefusals)).cells.probes;
  const v2 = t.target.v2 === null ? [] : (await t.recording(taskRefusals)).cells.probes;
  return answeredWith422(
    t,
    [...v3, ...v2].filter((probe) => !maybeOtherReason(probe)),
  );
}

// The order of refusals is not stated: an own-key model may be refused for its missing key first.
function maybeOtherReason({ cell, exchange }: Probed<LevelCell>): boolean {
  return cell.ownKey && !textsOf(exchange).some((text) => text.includes('thinking'));
}

function found(exchange: Probed<LevelCell>['exchange']): string {
  const texts = textsOf(exchange);
  return texts.length === 0 ? 'no text' : JSON.stringify(texts.join(' | ').slice(0, 300));
}
