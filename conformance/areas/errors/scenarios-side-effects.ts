import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { createCircuitBreaker, type Exchange } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import type { OperationKey } from '../../core/operations.ts';
import { settleAll } from '../../core/outcome.ts';
import { idsIn } from '../../ledger/session-api.ts';
import { listItems } from '../../common/followed-pages.ts';
import { statedItems } from '../../ledger/resource-lists.ts';
import { getListOperation } from '../pages/scenarios.ts';
import { type LevelCell, levelCells } from '../../common/level-cells.ts';
import { sessionProbe, taskProbe } from '../../common/probe-bodies.ts';

/** Items that appeared in a generation's list while the suite sent unsupported combinations of model and level. */
export interface SideEffects {
  generation: 'v2' | 'v3';
  /** Response to the last request with an unsupported combination, which must be a refusal. */
  exchange: Exchange;
  /**
   * The ids that appeared in the list, one array for each of two rounds of refused requests; both are empty if the
   * first round shows no id. Undefined if the target offers no list, or if other clients fill the list.
   */
  appeared: readonly (readonly string[])[] | undefined;
}

/** Wait between the last refusal and the second read of the list, in milliseconds: a task may start late. */
const effectMs = 500;

/**
 * For each model, sends a refused combination of model and level, between two reads of the list. If new items appear in
 * the list, repeats this round, because other clients of the account may create resources too.
 */
export const refusalSideEffects: Scenario<SideEffects[]> = {
  name: 'refusal-side-effects',
  creates: 'nothing: the lists are read before and after refusals',
  spend: 'none',
  dispatches: 0,
  stateful: true,
  run: (context) => {
    const offered = (['v2', 'v3'] as const).filter((generation) => context.target[generation] !== null);
    return settleAll(offered.map((generation) => observe(context, generation)));
  },
};

async function observe(context: ScenarioContext, generation: 'v2' | 'v3'): Promise<SideEffects> {
  const first = await round(context, generation);
  if (first.appeared === undefined) return { ...first, generation, appeared: undefined };
  if (first.appeared.length === 0) return { ...first, generation, appeared: [[], []] };
  const second = await round(context, generation);
  const { appeared = [] } = second;
  const isBusy = appeared.length > 0 && (await fillsByItself(context, generation));
  return { ...second, generation, appeared: isBusy ? undefined : [first.appeared, appeared] };
}

/**
 * Returns true if the list of tasks (V2) or sessions (V3) gains items although the suite creates none; see {@link
 * growsUnasked}.
 */
function fillsByItself(context: ScenarioContext, generation: 'v2' | 'v3'): Promise<boolean> {
  return growsUnasked(context, async () => (await listIds(context, generation)) ?? []);
}

/**
 * Number of quiet periods after which a list counts as unchanged: periods in which no other scenario sends a request
 * other than GET.
 */
const quietLooks = 20;
/** Maximum number of observed periods, including periods in which other scenarios send requests other than GET. */
const looksMax = 500;

/**
 * Returns true if a list gains items while the suite sends no request that could create one. Periods in which another
 * scenario sends requests other than GET do not count. Also returns true if every period had such requests: the items
 * may then belong to other clients.
 */
export async function growsUnasked(
  context: ScenarioContext,
  readIds: () => Promise<Iterable<string>>,
): Promise<boolean> {
  const { recorder, ledger, target } = context;
  let quiet = 0;
  for (let count = 0; count < looksMax && quiet < quietLooks; count += 1) {
    const fromMs = context.nowMs();
    const before = new Set(await readIds());
    await context.pause(target.polling.intervalMs);
    const after = [...(await readIds())];
    const toMs = context.nowMs();
    // A request is recorded when its response arrives, so this waits for requests in flight.
    await context.pause(target.polling.intervalMs * 2);
    const isQuiet = recorder
      .all()
      .every(({ request, atMs, durationMs }) => request.method === 'GET' || atMs > toMs || atMs + durationMs < fromMs);
    const ours = new Set(ledger.entries().map(({ id }) => id));
    quiet += isQuiet ? 1 : 0;
    if (isQuiet && after.some((id) => !before.has(id) && !ours.has(id))) return true;
  }
  return quiet === 0;
}

async function round(
  context: ScenarioContext,
  generation: 'v2' | 'v3',
): Promise<{ exchange: Exchange; appeared: string[] | undefined }> {
  const before = await listIds(context, generation);
  const [first, ...others] = oneOfEachModel(generation, context.seed);
  const breaker = createCircuitBreaker();
  let exchange = await refuse(context, generation, first);
  for (const cell of others) {
    breaker.note(exchange);
    if (breaker.on()) break;
    exchange = await refuse(context, generation, cell);
  }
  await context.pause(effectMs);
  const after = await listIds(context, generation);
  if (before === undefined || after === undefined) return { exchange, appeared: undefined };
  const ours = context.ledger.entries().map((entry) => entry.id);
  return { exchange, appeared: after.filter((id) => !before.includes(id) && !ours.includes(id)) };
}

/**
 * For each model that needs no stored key, returns one combination with a level that must be refused. The seed chooses
 * the level.
 */
function oneOfEachModel(generation: 'v2' | 'v3', seed: number): LevelCell[] {
  const refusedCells = levelCells(generation).filter(({ accepted, ownKey }) => !accepted && !ownKey);
  const byModel = Map.groupBy(refusedCells, ({ model }) => model);
  return [...byModel.values()].flatMap((cells) => cells[seed % cells.length] ?? []);
}

function refuse(
  { resources, target }: ScenarioContext,
  generation: 'v2' | 'v3',
  cell: LevelCell | undefined,
): Promise<Exchange> {
  if (cell === undefined) throw new Error(`the ${generation} matrix has no refused cell`);
  const spec = { generation, method: 'POST', invalid: true } as const;
  if (generation === 'v2') {
    const body = { ...taskProbe(), llm: cell.model, thinkingLevel: cell.level };
    return resources.probe('task', { ...spec, operation: 'createTask', path: '/tasks', body });
  }
  const body = { ...sessionProbe(target), model: cell.model, thinkingLevel: cell.level };
  return resources.probe('session', { ...spec, operation: 'createSession', path: '/sessions', body });
}

async function listIds(context: ScenarioContext, generation: 'v2' | 'v3'): Promise<readonly string[] | undefined> {
  const key = generation === 'v3' ? 'v3.listSessions' : 'v2.listTasks';
  if (context.operations.offers(key)) return [...(await idsAtEnds(context, [key]))];
  // A target that offers only the operations of its target file may have a list without page numbers.
  if (generation === 'v3') return context.sessions.listIds();
  const list = context.target.v2?.list ?? null;
  if (list === null) return undefined;
  const exchange = await context.send({ generation, operation: 'listTasks', method: list.method, path: list.path });
  return exchange.status === 200 ? idsIn(memberAt(exchange.json, list.items)) : undefined;
}

/** Maximum size of a page that every list permits. */
const pageSize = 100;

/**
 * Returns the ids on the first page of each list and on its last two pages: the contract does not state where a new
 * item appears, and the last page may disappear between two calls. Skips lists that are not offered or have no pages.
 */
export async function idsAtEnds(context: ScenarioContext, keys: readonly OperationKey[]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const key of keys) {
    const { id, paging, ...list } = getListOperation(key);
    if (paging.style === 'whole' || !context.operations.offers(key)) continue;
    const items = statedItems(context.target, key) ?? list.items;
    const read = (page: number): Promise<Exchange> => {
      const query = paging.style === 'number' ? { [paging.page]: page } : {};
      return context.operations.call(key, { query: { [paging.size]: pageSize, ...query } });
    };
    const pages = [await read(1)];
    const total = paging.style === 'number' ? Number(memberAt(pages[0]?.json, paging.total)) : 0;
    const last = Math.ceil(total / pageSize);
    for (const page of [last - 1, last]) if (page > 1) pages.push(await read(page));
    for (const item of pages.flatMap((page) => listItems(page, items))) ids.add(toText(memberAt(item, id)));
  }
  return ids;
}
