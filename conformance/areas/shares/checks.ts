import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { type JsonObject, type JsonValue, memberAt, toText, isSame } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { runMembers } from '../v4-runs/scenarios-members.ts';
import type { SessionShare } from '../../common/session-share.ts';
import { type Purge, taskOptions } from '../v2-tasks/scenarios-options.ts';
import { show } from '../../core/text.ts';
import { judged, required, notFound } from '../../common/judgement.ts';

/** Checks of public shares of V2 sessions, and of purges that must be refused. */
export const shareChecks: readonly Check[] = [
  share('SHARE-01', (t, { made, again }) => {
    for (const exchange of [made, again]) judged(t, exchange, 'POST of a share').status(201);
    for (const member of ['shareToken', 'shareUrl'])
      judged(t, again, 'the second answer for a share').member(member, memberAt(made.json, member) ?? null);
  }),
  share('SHARE-02', (t, { made, fetched, session }) => {
    judged(t, fetched, 'GET of a share').status(200);
    const address = memberAt(made.json, 'shareUrl') ?? null;
    for (const member of ['shareToken', 'shareUrl'])
      judged(t, fetched, 'a share').member(member, memberAt(made.json, member) ?? null);
    judged(t, session, 'a session that is shared').member('publicShareUrl', address);
  }),
  share('SHARE-03', (t, { made, viewed }) => {
    const exchange = viewed?.opened ?? made;
    const found =
      viewed === undefined
        ? `shareUrl of a share is ${show(memberAt(made.json, 'shareUrl'))}`
        : `the address of a share ${describeAnswer(exchange)} without a key`;
    const message = `${found}; expected an address that opens without a key`;
    t.expect(viewed !== undefined && succeeded(exchange), { exchange, message });
  }),
  share('SHARE-04', (t, { fetched, viewed }) => {
    const shown = required(t, viewed?.fetched, 'the share has no address that could be opened');
    const [before, after] = [fetched, shown].map(({ json }) => memberAt(json, 'viewCount'));
    const message = `viewCount was ${show(before)}, and after a view is ${show(after)}; expected more`;
    t.expect(Number(after) > Number(before), { exchange: shown, message });
    const time = memberAt(shown.json, 'lastViewedAt');
    const told = `lastViewedAt of a share that was opened is ${show(time)}; expected a time`;
    t.expect(!Number.isNaN(Date.parse(toText(time))), { exchange: shown, message: told });
  }),
  share('SHARE-05', (t, { deletion, closed, gone, sessionAfter }) => {
    judged(t, deletion, 'DELETE of a share').status(204);
    if (closed !== undefined) {
      const message = `the address of a share that was deleted ${describeAnswer(closed)}; expected a refusal`;
      t.expect(refused(closed), { exchange: closed, message });
    }
    judged(t, gone, 'GET of a share that was deleted').status(404);
    const shown = memberAt(sessionAfter.json, 'publicShareUrl') ?? null;
    const message = `publicShareUrl of a session whose share was deleted is ${show(shown)}; expected null`;
    t.expect(shown === null, { exchange: sessionAfter, message });
  }),
  check('SHARE-06', { needs: [taskOptions] }, async (t) => {
    const { none, gone } = (await t.recording(taskOptions)).share;
    for (const exchange of [none, gone]) notFound(t, exchange, 'Public share not found');
    const path = [randomUuid(createRandom(t.seed))];
    for (const key of ['v2.getPublicShare', 'v2.createPublicShare', 'v2.deletePublicShare'] as const)
      judged(t, await t.operations.call(key, { path }), `${key} of a session that does not exist`).status(404);
  }),
  check(
    'PURGE-01',
    { needs: ({ v2, v4 }) => [...(v2 === null ? [] : [taskOptions]), ...(v4 === null ? [] : [runMembers])] },
    async (t) => {
      if (await retainsNothing(t)) t.notTestable('the project has zero data retention: a purge would succeed');
      for (const generation of t.generations) {
        if (generation === 'v2') keeps(t, (await t.recording(taskOptions)).purge);
        if (generation === 'v4') keeps(t, (await t.recording(runMembers)).purge);
      }
    },
  ),
];

/** Returns true if the account shows that the project has zero data retention (decision 19). */
async function retainsNothing(t: CheckContext): Promise<boolean> {
  if (!t.operations.offers('v2.getBillingAccount')) return false;
  const { json } = await t.operations.call('v2.getBillingAccount');
  return memberAt(json, 'tracingDisabled') === true;
}

function keeps(t: CheckContext, { answer, before, after }: Purge): void {
  const cell = answer.generation;
  const message = `${cell} purgeSession ${describeAnswer(answer)}; expected 403`;
  t.expect(answer.status === 403, { cell, exchange: answer, message });
  for (const [index, exchange] of after.entries()) {
    const [then, now] = [before[index], exchange].map((seen) => heldBy(seen?.json));
    const changed = `${cell} ${exchange.operation} shows ${show(now)} after a purge that was refused; expected ${show(then)}`;
    t.expect(succeeded(exchange) && isSame(then, now), { cell, exchange, message: changed });
  }
}

/**
 * Returns the members that a purge would erase, and the numbers of tasks and steps. Costs, times and URLs change
 * without a purge and are left out.
 */
function heldBy(json: JsonValue | undefined): JsonObject {
  const members = ['id', 'sessionId', 'task', 'title', 'output', 'result', 'latestRunId'];
  const held = members.flatMap((name): [string, JsonValue][] => {
    const value = memberAt(json, name);
    return value === undefined ? [] : [[name, value]];
  });
  const counts = ['tasks', 'steps'].map((name): [string, JsonValue] => {
    const list = memberAt(json, name);
    return [name, Array.isArray(list) ? list.length : null];
  });
  return Object.fromEntries([...held, ...counts]);
}

function share(id: Check['id'], judge: (t: CheckContext, recording: SessionShare) => void): Check {
  return check(id, { needs: [taskOptions] }, async (t) => judge(t, (await t.recording(taskOptions)).share));
}
