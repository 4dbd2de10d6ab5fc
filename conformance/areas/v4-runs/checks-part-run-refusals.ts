import { type Check, check } from '../../core/check.ts';
import { runRefusals } from './scenarios-part-run-refusals.ts';
import { answeredWith422, expectRefused } from '../common/checks-part-expect-refused.ts';
import { paramTemplate, sameSet, supportedList, textsOf, wordsOf } from '../common/checks-part-refusal-text.ts';

/** V4: modelParams that must be refused, and the text of the refusal. */
export const runRefusalChecks: readonly Check[] = [
  check('V4-PARAMS-REFUSES', { needs: [runRefusals] }, async (t) => {
    expectRefused(t, (await t.recording(runRefusals)).cells, '422');
  }),
  check('ERR-08', { needs: [runRefusals] }, async (t) => {
    expectRefused(t, (await t.recording(runRefusals)).cells, '422');
  }),
  check('V4-PARAMS-27', { needs: [runRefusals] }, async (t) => {
    expectRefused(t, (await t.recording(runRefusals)).foreign, '4xx');
  }),
  check('ERR-12', { needs: [runRefusals] }, async (t) => {
    const { cells, foreign } = await t.recording(runRefusals);
    for (const { cell, exchange } of answeredWith422(t, [...cells.probes, ...foreign.probes])) {
      const list = supportedList(exchange, paramTemplate(cell.model, cell.path, cell.value));
      t.expect(list !== undefined && (cell.supported.length === 0 || sameSet(wordsOf(list), cell.supported)), {
        cell: cell.key,
        exchange,
        member: '/detail',
        message: () =>
          `expected Model "${cell.model}" does not support modelParams.${cell.path}='${cell.value}'. Supported values: ${sorted(cell.supported)}; found ${found(textsOf(exchange))}`,
      });
    }
  }),
  check('ERR-13', { needs: [runRefusals] }, async (t) => {
    const { cells } = await t.recording(runRefusals);
    for (const { cell, exchange } of answeredWith422(t, cells.probes)) {
      const named = textsOf(exchange).some((text) => text.includes(`modelParams.${cell.path}`));
      const message = (): string =>
        `expected a text that names modelParams.${cell.path}; found ${found(textsOf(exchange))}`;
      t.expect(named, { cell: cell.key, exchange, member: '/detail', message });
    }
  }),
  check('ERR-14', { needs: [runRefusals] }, async (t) => {
    let judged = false;
    const { cells } = await t.recording(runRefusals);
    for (const { cell, exchange } of answeredWith422(t, cells.probes)) {
      const list = supportedList(exchange, paramTemplate(cell.model, cell.path, cell.value));
      if (cell.supported.length === 0 || list === undefined) continue;
      const items = list.split(',').map((item) => item.trim());
      const message = `expected "${sorted(wordsOf(list))}", comma-separated and alphabetical; found "${list}"`;
      t.expect(items.join() === wordsOf(list).toSorted().join(), {
        cell: cell.key,
        exchange,
        member: '/detail',
        message,
      });
      judged = true;
    }
    if (!judged) t.notTestable('no refusal had a list of values behind the words of the template');
  }),
];

function sorted(values: readonly string[]): string {
  return values.length === 0 ? '<any list>' : values.toSorted().join(', ');
}

function found(texts: readonly string[]): string {
  return texts.length === 0 ? 'no text' : JSON.stringify(texts.join(' | ').slice(0, 300));
}
