import type { CheckContext } from '../../core/check.ts';
import { describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import type { ProbeRecording, Probed } from './scenarios-part-probe-cells.ts';

/** What a refused cell has to be answered with: exactly 422, any 4xx, or anything that creates nothing. */
export type Refusal = '422' | '4xx' | 'not created';

interface Keyed {
  key: string;
}

/** Judges that every probe was refused; cells that were not sent leave the total above the number judged. */
export function expectRefused<C extends Keyed>(t: CheckContext, recording: ProbeRecording<C>, refusal: Refusal): void {
  const probes = recording.probes.filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell.key);
  t.cellTotal(recording.probes.length + recording.unsent.length);
  for (const { cell, exchange } of probes) {
    t.expect(isRefused(exchange, refusal), {
      cell: cell.key,
      exchange,
      message: `${cell.key} ${describeAnswer(exchange)}; expected ${expectations[refusal]}`,
    });
  }
}

/** The probes that were answered with 422, whose text can be judged. Ends the check when there is none. */
export function answeredWith422<C extends Keyed>(t: CheckContext, probes: readonly Probed<C>[]): Probed<C>[] {
  const answered = probes.filter(({ exchange }) => exchange.status === 422);
  if (answered.length === 0) t.notTestable('no unsupported value was answered with 422, so that there is no text');
  return answered.filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell.key);
}

const expectations: Record<Refusal, string> = {
  '422': 'a refusal with 422',
  '4xx': 'a refusal (4xx)',
  'not created': 'an answer that creates nothing',
};

function isRefused(exchange: Probed<Keyed>['exchange'], refusal: Refusal): boolean {
  if (refusal === '422') return exchange.status === 422;
  if (refusal === '4xx') return refused(exchange);
  return exchange.status !== 0 && !succeeded(exchange);
}
