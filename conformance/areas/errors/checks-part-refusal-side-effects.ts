import { type Check, type CheckContext, check } from '../../core/check.ts';
import { refusalSideEffects } from './scenarios-part-refusal-side-effects.ts';

/** A refusal leaves nothing behind. */
export const refusalSideEffectChecks: readonly Check[] = [
  check('ERR-15', { needs: [refusalSideEffects] }, (t) => nothingAppeared(t)),
  check('MAP-01', { needs: [refusalSideEffects] }, (t) => nothingAppeared(t)),
];

async function nothingAppeared(t: CheckContext): Promise<void> {
  const effects = await t.recording(refusalSideEffects);
  const seen = effects.filter(({ appeared }) => appeared !== undefined);
  if (seen.length === 0) t.notTestable('the target offers no list of sessions or tasks (v2.list, v3.list)');
  for (const { generation, exchange, appeared } of seen) {
    const [first = 0, second = 0] = appeared ?? [];
    t.expect(Math.min(first, second) === 0, {
      cell: generation,
      exchange,
      message: `${first} and then ${second} things appeared in the ${generation} list while refused pairs were sent; expected none`,
    });
  }
}
