import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import type { Scenario } from '../../core/scenario.ts';
import { type ForeignStorage, foreignProfile, foreignWorkspace } from './scenarios-foreign.ts';
import { valuesIn } from '../common/checks-part-expect-answer.ts';
import { show } from '../common/session-records.ts';

/** Profiles and workspaces belong to one project. */
export const foreignStorageChecks: readonly Check[] = [
  check('PROFILE-10', { needs: [foreignProfile] }, (t) => apart(t, foreignProfile)),
  check('WORKSPACE-11', { needs: [foreignWorkspace] }, (t) => apart(t, foreignWorkspace)),
];

// A deletion may answer anything: only what the owner finds afterwards tells what it did.
async function apart(t: CheckContext, scenario: Scenario<ForeignStorage>): Promise<void> {
  const { id, before, attempts, after } = await t.recording(scenario);
  if (!succeeded(before)) t.notTestable(`the owner's own look ${describeAnswer(before)}`);
  for (const { does, exchange } of attempts) {
    if (does === 'delete') continue;
    const listed = does === 'list' && !valuesIn(exchange, 'items.id').includes(id);
    const { generation, operation } = exchange;
    const message = `${generation} ${operation} with the key of another project ${describeAnswer(exchange)} and shows or changes what is ours; expected a refusal, or a list without it (if both keys are of one project, give another --other-api-key)`;
    t.expect(refused(exchange) || listed, { cell: `${generation} ${operation}`, exchange, message });
  }
  const message = `its owner finds ${show(after.json)} after the attempts; expected ${show(before.json)}`;
  const unharmed = after.status === before.status && JSON.stringify(after.json) === JSON.stringify(before.json);
  t.expect(unharmed, { cell: 'afterwards', exchange: after, message });
}
