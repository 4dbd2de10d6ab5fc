import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonValue, memberAt, sameSet } from '../../core/json.ts';
import type { LedgerEntry } from '../../core/ledger.ts';
import { isSameRecord } from '../../core/times.ts';
import { type ProfileLife, profileLives } from './scenarios.ts';
import { answered, carries, lists, valuesIn } from '../../common/judgement.ts';
import { show } from '../../core/text.ts';

/** Checks of profiles in the three generations. */
export const profileChecks: readonly Check[] = [
  each('PROFILE-01', (t, { bare, listed }) => {
    answered(t, bare, 201);
    const total = memberAt(listed.json, 'totalItems');
    const shown = valuesIn(listed, 'items.id');
    const message = `the list of ${show(total)} profiles does not show a new profile without a name; expected that it does`;
    const isWhole = total === shown.length;
    t.expect(!isWhole || shown.includes(memberAt(bare.json, 'id') ?? null), { exchange: listed, message });
    for (const member of ['name', 'userId', 'lastUsedAt', 'cookieDomains']) carries(t, bare, [member, null]);
  }),
  each('PROFILE-02', (t, { named, fetched, name, userId }) => {
    for (const exchange of [named, fetched]) {
      carries(t, exchange, ['name', name]);
      carries(t, exchange, ['userId', userId]);
    }
    carries(t, fetched, ['id', memberAt(named.json, 'id')]);
  }),
  each('PROFILE-03', (t, { renamed, unchanged, cleared, name, userId }) => {
    const names: [Exchange, JsonValue][] = [
      [renamed, `${name} new`],
      [unchanged, `${name} new`],
      [cleared, null],
    ];
    for (const [exchange, expected] of names) {
      carries(t, exchange, ['name', expected]);
      carries(t, exchange, ['userId', userId]);
    }
  }),
  each('PROFILE-04', (t, { longest, tooLong }) => {
    answered(t, longest, 201);
    for (const exchange of tooLong) answered(t, exchange, 422);
  }),
  each('PROFILE-05', (t, { searches: { ids, byName, byUser, byNothing } }) => {
    const [first = '', second = ''] = ids;
    lists(t, byName, ['items.id', [first]]);
    lists(t, byUser, ['items.id', [second]]);
    lists(t, byNothing, ['items.id', []]);
  }),
  each('PROFILE-06', (t, { searches: { ids, pages } }) => {
    const [first, second, whole] = pages;
    const found = [first, second].flatMap((page) => valuesIn(page, 'items.id'));
    const message = `two pages of two hold ${show(found)}; expected ${show(ids)}, each once`;
    t.expect(sameSet(found, ids), { cell: second?.generation ?? '', exchange: second, message });
    for (const [page, pageNumber, pageSize] of [
      [first, 1, 2],
      [second, 2, 2],
      [whole, 1, 10],
    ] as const) {
      carries(t, page, ['totalItems', ids.length]);
      carries(t, page, ['pageNumber', pageNumber]);
      carries(t, page, ['pageSize', pageSize]);
    }
  }),
  each('PROFILE-07', (t, { searches: { outOfBounds } }) => {
    for (const exchange of outOfBounds) answered(t, exchange, 422);
  }),
  each('PROFILE-08', (t, { elsewhere, fetched }) => {
    if (!succeeded(fetched)) return;
    for (const exchange of elsewhere) {
      const message = `${exchange.generation} shows it as ${show(exchange.json)}; expected ${show(fetched.json)}`;
      t.expect(isSameRecord(exchange.json, fetched.json), {
        cell: exchange.generation,
        exchange,
        message,
      });
    }
  }),
  check('PROFILE-09', { needs: [profileLives], phase: 'last' }, async (t) => {
    for (const { deletions, gone, goneSearch } of await t.recording(profileLives)) {
      for (const exchange of deletions) answered(t, exchange, 204);
      for (const exchange of gone) answered(t, exchange, 404);
      lists(t, goneSearch, ['items.id', []]);
    }
    await othersRemain(t);
  }),
];

/** Maximum number of profiles that are fetched at the end of the run. */
const remainingMax = 20;

/**
 * Judges that the latest profiles that the run has created and not deleted still exist, at most `remainingMax` of them.
 */
async function othersRemain(t: CheckContext): Promise<void> {
  const isKept = ({ kind, state, key, id }: LedgerEntry): boolean =>
    kind === 'profile' && state === 'live' && key !== 'other' && id !== undefined;
  const kept = t.ledger.entries().filter((entry) => isKept(entry));
  for (const { generation, id = '' } of kept.slice(-remainingMax)) {
    const exchange = await t.operations.call(`${generation}.getProfile`, { path: [id] });
    const message = `the profile ${id}, which the run has not deleted, ${describeAnswer(exchange)} after the deletion of other profiles; expected its record`;
    t.expect(![404, 410].includes(exchange.status), { cell: 'other profiles', exchange, message });
  }
}

function each(id: Check['id'], judge: (t: CheckContext, life: ProfileLife) => void): Check {
  return check(id, { needs: [profileLives] }, async (t) => {
    for (const life of await t.recording(profileLives)) judge(t, life);
  });
}
