import * as fc from 'fast-check';
import { createHeal } from '#agent/script/heal.ts';
import { collectEvidence, type Evidence, findElement, identifies, type Search } from '#agent/script/evidence.ts';
import { readPage } from '#agent/script/page-view.ts';
import { createMarks } from '#agent/script/template.ts';
import type { ElementFacts } from '#browsers/tab/tab.ts';

const checkoutPage = 'http://shop.example/checkout';

/**
 * A control of a generated page. Controls with the same target have the same effect. A control without a target has an
 * effect that no other control has.
 */
interface Control {
  /** Unique number of the control. The page does not show it; the test identifies the control by it. */
  readonly truth: number;
  readonly role: 'button' | 'link' | 'textbox';
  readonly name: string;
  readonly target: string | null;
  /** Row of a table; null outside of a table. */
  readonly row: string | null;
  /** Heading before the control. */
  readonly heading: string;
}

// Values are few, so that controls share most of their evidence.
const control = fc.record({
  role: fc.constantFrom<Control['role']>('button', 'link', 'textbox'),
  name: fc.constantFrom('Save', 'Cancel', 'Delete', 'Name', ''),
  target: fc.constantFrom(null, 'post http://shop.example/a', 'post http://shop.example/b', 'http://shop.example/c/1'),
  row: fc.constantFrom(null, 'Monday', 'Tuesday'),
  heading: fc.constantFrom('Order', 'Account'),
});
const page = fc
  .array(control, { minLength: 1, maxLength: 8 })
  .map((drawn) => drawn.map((one, truth): Control => ({ ...one, truth })));

/** Generator of changes of a page: other names and headings, removed and added controls, and the reverse order. */
const drift = fc.record({
  names: fc.array(fc.constantFrom(null, 'Save', 'Sichern', 'Abbrechen'), { minLength: 8, maxLength: 8 }),
  headings: fc.array(fc.constantFrom(null, 'Order', 'Bestellung'), { minLength: 8, maxLength: 8 }),
  removed: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  added: fc.array(control, { maxLength: 4 }),
  isReversed: fc.boolean(),
});

type Drifted = typeof drift extends fc.Arbitrary<infer Value> ? Value : never;

function drifted(controls: readonly Control[], { names, headings, removed, added, isReversed }: Drifted): Control[] {
  const kept = controls
    .filter((_one, index) => removed[index] !== true)
    .map((one, index) => ({ ...one, name: names[index] ?? one.name, heading: headings[index] ?? one.heading }));
  const all = [...kept, ...added.map((one, index): Control => ({ ...one, truth: 100 + index }))];
  return isReversed ? all.toReversed() : all;
}

/** Returns a search on a generated page. The reference of each control is `e` followed by the control's `truth`. */
function searchOn(controls: readonly Control[]): Search {
  const lines = controls.flatMap(({ truth, role, name, row, heading }, index) => {
    const own = `- ${role}${name === '' ? '' : ` "${name}"`} [ref=e${truth}]`;
    const title = `- heading "${heading}" [level=2] [ref=h${index}]`;
    return row === null ? [title, own] : [title, `- row "${row} ${name}" [ref=r${index}]:`, `  ${own}`];
  });
  const describe = async (ref: string): Promise<ElementFacts> => {
    const target = controls.find(({ truth }) => ref === `e${truth}`)?.target ?? null;
    return { address: checkoutPage, kind: 'control', target };
  };
  const marks = createMarks(new Map());
  return { page: readPage({ url: checkoutPage, title: '', outline: lines.join('\n') }, marks), marks, describe };
}

/** Returns whether two controls have the same effect: they are the same control, or have the same target. */
function isEqual(used: Control, wanted: Control): boolean {
  return used.truth === wanted.truth || (wanted.target !== null && used.target === wanted.target);
}

const task = { goal: '', model: 'm', modelParams: null, outputSchema: null, codeMode: false };
/**
 * Returns the evidence that a recording stores for a control; null if it does not identify the control among the others
 * of its page.
 */
async function recorded(controls: readonly Control[], wanted: Control): Promise<Evidence | null> {
  const search = searchOn(controls);
  const evidence = await collectEvidence(search, `e${wanted.truth}`);
  if (evidence === null) return null;
  return (await identifies(search, evidence, `e${wanted.truth}`)) ? evidence : null;
}

/** Options of randomly generated pages. */
export interface DrawnOptions {
  readonly seed: number;
  /** Number of pages. */
  readonly runs: number;
}

/**
 * Number of replays on changed pages that used an element (`used`), and number of those that refused to use any element
 * (`refused`).
 */
export interface DrawnCounts {
  readonly used: number;
  readonly refused: number;
}

/**
 * Generates pages whose controls have most of their recorded properties in common, and changes each page. Throws if a
 * replay uses an element with another effect than the recorded one; the error names the smallest such page. Two
 * controls without a target count as equal if their role, name and position are equal.
 */
export async function checkDrawnPages({ seed, runs }: DrawnOptions): Promise<DrawnCounts> {
  let [used, refused] = [0, 0];
  const property = fc.asyncProperty(page, drift, fc.nat(7), async (controls, change, index) => {
    const wanted = controls[index % controls.length];
    const evidence = wanted === undefined ? null : await recorded(controls, wanted);
    if (wanted === undefined || evidence === null) return true;
    const after = drifted(controls, change);
    const search = searchOn(after);
    const found = await findElement(search, evidence);
    const healed = 'ref' in found ? found : await createHeal({ task, model: null })(search, evidence);
    if (healed === null) refused += 1;
    else used += 1;
    return (
      healed === null ||
      isRight(
        after.find(({ truth }) => healed.ref === `e${truth}`),
        wanted,
      )
    );
  });
  await fc.assert(property, { numRuns: runs, seed });
  return { used, refused };
}

/**
 * Generates pages. Throws if a replay does not find a recorded element although the page is unchanged; the error names
 * the smallest such page.
 */
export async function checkUnchangedPages({ seed, runs }: DrawnOptions): Promise<void> {
  const property = fc.asyncProperty(page, fc.nat(7), async (controls, index) => {
    const wanted = controls[index % controls.length];
    const evidence = wanted === undefined ? null : await recorded(controls, wanted);
    if (wanted === undefined || evidence === null) return true;
    const found = await findElement(searchOn(controls), evidence);
    return 'ref' in found && found.ref === `e${wanted.truth}`;
  });
  await fc.assert(property, { numRuns: runs, seed });
}

/**
 * Returns true if the used control is the recorded control or has the same effect. Two controls without a target count
 * as equal if their role, name and position are equal.
 */
function isRight(used: Control | undefined, wanted: Control): boolean {
  if (used === undefined) return false;
  if (isEqual(used, wanted)) return true;
  const { row, heading, name, role } = wanted;
  const isTwin = wanted.target === null && used.target === null && used.name === name && used.role === role;
  return isTwin && (row === null ? used.heading === heading : used.row === row);
}
