import { type Check, type CheckContext, check } from '../../core/check.ts';
import { memberAt } from '../../core/json.ts';
import { type WorkspaceLife, workspaceLives } from './scenarios.ts';
import { answered, carries, sameSet, valuesIn } from '../common/checks-part-expect-answer.ts';
import { show } from '../common/session-records.ts';

/** Workspaces of V3 and V4. */
export const workspaceChecks: readonly Check[] = [
  each('WORKSPACE-01', (t, { generation, bare }) => {
    answered(t, bare, generation === 'v3' ? 201 : 200);
    carries(t, bare, ['name', null]);
  }),
  each('WORKSPACE-02', (t, { named, fetched, name }) => {
    carries(t, named, ['name', name]);
    carries(t, fetched, ['name', name]);
    carries(t, fetched, ['id', memberAt(named.json, 'id')]);
  }),
  each('WORKSPACE-03', (t, { renamed, unchanged, cleared, name }) => {
    carries(t, renamed, ['name', `${name} new`]);
    carries(t, unchanged, ['name', `${name} new`]);
    carries(t, cleared, ['name', null]);
  }),
  each('WORKSPACE-04', (t, { generation, longest, tooLong }) => {
    answered(t, longest, generation === 'v3' ? 201 : 200);
    for (const exchange of tooLong) answered(t, exchange, 422);
  }),
  each('WORKSPACE-05', (t, { generation, named, fetched, gone }) => {
    if (generation === 'v3') return;
    carries(t, named, ['archived', false]);
    carries(t, fetched, ['archived', false]);
    if (gone.status !== 404) carries(t, gone, ['archived', true]);
  }),
  each('WORKSPACE-06', (t, { generation, deletion, again, stranger, gone }) => {
    answered(t, deletion, 204);
    if (generation === 'v3') {
      answered(t, gone, 404);
      return;
    }
    answered(t, again, 204);
    answered(t, stranger, 204);
  }),
  each('WORKSPACE-07', (t, { elsewhere, fetched }) => {
    for (const exchange of elsewhere) {
      for (const member of ['id', 'name', 'createdAt']) carries(t, exchange, [member, memberAt(fetched.json, member)]);
    }
  }),
  each('WORKSPACE-08', (t, { generation, size }) => {
    carries(t, size, ['usedBytes', 0]);
    const most = memberAt(size.json, 'maxBytes');
    const message = `${generation} says maxBytes ${show(most)}; expected a whole number above 0`;
    t.expect(Number.isInteger(most) && Number(most) > 0, { cell: generation, exchange: size, message });
  }),
  each('WORKSPACE-09', (t, { unknown }) => {
    for (const exchange of unknown) answered(t, exchange, 404);
  }),
  each('WORKSPACE-10', (t, { lists }) => {
    if (lists === undefined) return;
    const [first, second, both] = lists;
    const found = [first, second].flatMap((page) => valuesIn(page, 'items.id'));
    const expected = valuesIn(both, 'items.id');
    const message = `two pages of one hold ${show(found)}; expected the two of one page, ${show(expected)}`;
    t.expect(expected.length === 2 && sameSet(found, expected), { cell: 'v3', exchange: second, message });
    carries(t, second, ['pageNumber', 2]);
    carries(t, second, ['pageSize', 1]);
  }),
];

function each(id: Check['id'], judge: (t: CheckContext, life: WorkspaceLife) => void): Check {
  return check(id, { needs: [workspaceLives] }, async (t) => {
    for (const life of await t.recording(workspaceLives)) judge(t, life);
  });
}
