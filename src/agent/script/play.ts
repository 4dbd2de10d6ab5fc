import { type Tab, TabError } from '#browsers/tab/tab.ts';
import type { JsonObject } from '#lib/json.ts';
import type { AgentStep, AgentWorld } from '../agent.ts';
import { readAnswer, type ReadAnswer } from './answer.ts';
import { type Evidence, findElement, type Found, type Search } from './evidence.ts';
import { type PageView, readPage } from './page-view.ts';
import { describeAction, isFailure, perform } from './perform.ts';
import type { Script, ScriptAction, ScriptStep } from './script-file.ts';
import { isChanging, type Trace } from './trace.ts';

/** Function that searches for an element whose recorded properties no longer match; returns null when none is found. */
export type Heal = (search: Search, wanted: Evidence) => Promise<Healed | null>;

/** An element that the healing search found. */
export interface Healed {
  readonly ref: string;
  readonly evidence: Evidence;
  /** What has changed, in plain words. */
  readonly change: string;
}

/** Dependencies of a replay. */
export interface Playing {
  readonly world: AgentWorld;
  readonly script: Script;
  readonly path: string;
  /** Trace of the replay, for a later version of the script. */
  readonly trace: Trace;
  /** Search for changed elements; null if the replay stops at a changed element. */
  readonly heal: Heal | null;
}

/** Result of a replay. */
export interface Played {
  /** The answer, or the reason why the replay has none. */
  readonly answer: ReadAnswer;
  /** Number of steps that were done. */
  readonly done: number;
  /** Whether a step was begun that can change something beyond the browser. */
  readonly hasChanged: boolean;
  /** Descriptions of the changed elements that healing found, in order. */
  readonly changes: readonly string[];
  /** Summaries of the steps that were done. */
  readonly summaries: readonly string[];
  /** Observed pages in order, the last page last. */
  readonly pages: readonly PageView[];
}

/** State of a replay. */
interface Play extends Playing {
  readonly tab: Tab;
  isUnchanged: boolean;
  hasChanged: boolean;
  readonly changes: string[];
  readonly summaries: string[];
  readonly pages: PageView[];
}

/**
 * Replays the steps of a script. Before each action, the recorded properties of its element must match, or healing must
 * find the changed element; otherwise the replay stops. It also stops at an action that fails, and at a step with
 * `isDerived` once a page, file or mail differs from the recording.
 */
export async function playScript(playing: Playing): Promise<Played> {
  const tab = await playing.world.tab();
  const { mailbox } = playing.world;
  if (mailbox !== null) playing.trace.marks.set('mailbox', mailbox.address);
  const play: Play = {
    ...playing,
    tab,
    isUnchanged: true,
    hasChanged: false,
    changes: [],
    summaries: [],
    pages: [],
  };
  let done = 0;
  let reason: string | null = null;
  for (const step of playing.script.steps) {
    reason = await playStep(play, step, done + 1);
    if (reason !== null) break;
    done += 1;
  }
  const answer = reason === null ? await readFinalAnswer(play) : { reason };
  const { hasChanged, changes, summaries, pages } = play;
  return { answer, done, hasChanged, changes, summaries, pages };
}

/** Plays one step. Returns null, or the reason why the step was not done. */
async function playStep(play: Play, step: ScriptStep, number: number): Promise<string | null> {
  const at = `step ${number}`;
  const { action } = step;
  const located = await locate(play, step);
  if ('reason' in located) return `${at}: ${located.reason}`;
  if (step.isDerived && !play.isUnchanged)
    return `${at}: it enters a text that came from a page, and a page has changed since`;
  if (isChanging(action)) play.hasChanged = true;
  try {
    const stage = { world: play.world, tab: play.tab, marks: play.trace.marks };
    if ((await perform(stage, action, located.ref)) === 'changed') play.isUnchanged = false;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return `${at}: ${error.message}`;
  }
  const { trace } = play;
  if (isChanging(action)) trace.before = play.pages.at(-1) ?? null;
  trace.steps.push({
    ...step,
    seen: located.seen,
    ...(located.on === null ? {} : { action: withEvidence(action, located.on) }),
  });
  await tell(play, action, located);
  return null;
}

function withEvidence(action: ScriptAction, on: Evidence): ScriptAction {
  return 'on' in action ? { ...action, on } : action;
}

/** The element of a step, and the hash of the observed page. */
interface Located {
  /** Reference of the element; null for a step without an element. */
  readonly ref: string | null;
  /** Evidence of the element on the present page; null for a step without an element. */
  readonly on: Evidence | null;
  readonly seen: string | null;
  /** What has changed about the element; null when all recorded properties matched. */
  readonly change: string | null;
}

/**
 * Milliseconds between two observations (`pauseMs`), and milliseconds within which a page has to show an element
 * (`lookForMs`).
 */
const pauseMs = 150;
const lookForMs = 5_000;
/**
 * Time in milliseconds after which the observation of an unchanged page ends early, if the page has an element similar
 * to the recorded element.
 */
const stillMs = 900;

/**
 * Observes the page until the recorded properties of the step's element match. If they do not match in time, searches
 * for a changed element.
 */
async function locate(play: Play, step: ScriptStep): Promise<Located | { readonly reason: string }> {
  const wanted = 'on' in step.action ? step.action.on : null;
  if (wanted === null && step.seen === null) return { ref: null, on: null, seen: null, change: null };
  const { page, found, healed } = await observeAndHeal(play, step, wanted);
  play.pages.push(page);
  if (step.seen !== null && page.hash !== step.seen) play.isUnchanged = false;
  const seen = step.seen === null ? null : page.hash;
  if (wanted === null) return { ref: null, on: null, seen, change: null };
  if ('ref' in found) return { ref: found.ref, on: wanted, seen, change: null };
  play.isUnchanged = false;
  if (healed === null) return { reason: found.reason };
  play.changes.push(healed.change);
  return { ref: healed.ref, on: healed.evidence, seen, change: healed.change };
}

/** The observed page of a step, with its element. */
interface Observed {
  readonly page: PageView;
  readonly found: Found;
}

/**
 * Observes the page of a step. If the element of the step is not found, searches for the changed element (heals). After
 * a healed step the site is known to have changed. The search then begins as soon as the page is stable, and the page
 * is observed for longer only when the search fails.
 */
async function observeAndHeal(
  play: Play,
  step: ScriptStep,
  wanted: Evidence | null,
): Promise<Observed & { readonly healed: Healed | null }> {
  const isHasty = play.heal !== null && play.changes.length > 0;
  const first = await observeStep(play, step, { wanted, isHasty });
  if (wanted === null || 'ref' in first.found) return { ...first, healed: null };
  const healed = await healOn(play, first.page, wanted);
  if (healed !== null || !isHasty) return { ...first, healed };
  const later = await observeStep(play, step, { wanted, isHasty: false });
  const isSame = 'ref' in later.found || later.page.outline === first.page.outline;
  return { ...later, healed: isSame ? null : await healOn(play, later.page, wanted) };
}

async function healOn(play: Play, page: PageView, wanted: Evidence): Promise<Healed | null> {
  return (await play.heal?.(searchOn(play, page), wanted)) ?? null;
}

interface Observing {
  readonly wanted: Evidence | null;
  /**
   * Whether the observation ends once the page has not changed for stillMs, even if no element of the page is similar
   * to the recorded element.
   */
  readonly isHasty: boolean;
}

/**
 * Observes the page until the element of a step is found. If the script depends on its pages, and nothing has differed
 * from the recording so far, the page must also equal the recorded page.
 */
async function observeStep(
  play: Play,
  { seen: recorded }: ScriptStep,
  { wanted, isHasty }: Observing,
): Promise<Observed> {
  const find = async (page: PageView): Promise<Found> =>
    wanted === null ? { ref: '' } : findElement(searchOn(play, page), wanted);
  const isAwaited = recorded !== null && play.isUnchanged && dependsOnPages(play.script);
  const findAwaited = async (seen: PageView): Promise<Found> => {
    const element = await find(seen);
    return 'ref' in element && isAwaited && seen.hash !== recorded ? { reason: 'the page differs' } : element;
  };
  const [page] = await watch(play, findAwaited, isHasty);
  const found = await find(page);
  return { page, found };
}

/** Returns whether a script is valid only while every page is unchanged. */
function dependsOnPages({ answer, steps }: Script): boolean {
  return answer.lines === null || steps.some(({ isDerived }) => isDerived);
}

function searchOn({ tab, trace }: Play, page: PageView): Search {
  return { page, marks: trace.marks, describe: (ref) => tab.elements.describe(ref) };
}

/**
 * Observes the page until `find` finds something, for at most `lookForMs`. Ends earlier once the page has not changed
 * for `stillMs`. Unless `isHasty` is set, it does not end earlier while the reason from `find` begins with "found no":
 * the element may still appear.
 */
async function watch(
  { tab, trace, world }: Play,
  find: (page: PageView) => Promise<Found>,
  isHasty = false,
): Promise<[page: PageView, found: Found]> {
  let page = await view(tab, trace);
  let found = await find(page);
  let still = 0;
  for (let waited = 0; 'reason' in found && waited < lookForMs && still < stillMs; waited += pauseMs) {
    await world.wait(pauseMs);
    const next = await view(tab, trace);
    const isSettled = isHasty || !found.reason.startsWith('found no');
    still = next.outline === page.outline && isSettled ? still + pauseMs : 0;
    page = next;
    found = await find(page);
  }
  return [page, found];
}

/** Observes the page; returns an empty view if the page cannot be observed at the moment. */
async function view(tab: Tab, { marks }: Trace): Promise<PageView> {
  try {
    return readPage(await tab.snapshot(), marks);
  } catch (error) {
    if (error instanceof TabError) return readPage({ url: 'about:blank', title: '', outline: '' }, marks);
    throw error;
  }
}

/** Makes the answer from the last page; waits because the page may still be loading. */
async function readFinalAnswer(play: Play): Promise<ReadAnswer> {
  const { script, trace, isUnchanged } = play;
  let answer: ReadAnswer = { reason: 'the last page was not observed' };
  const [page] = await watch(play, async (last) => {
    answer = readAnswer(script.answer, { last, isUnchanged, marks: trace.marks });
    return 'output' in answer ? { ref: '' } : { reason: answer.reason };
  });
  play.pages.push(page);
  return answer;
}

async function tell(play: Play, action: ScriptAction, { change }: Located): Promise<void> {
  const words = describeAction(action);
  const { path, script, world } = play;
  const summary = change === null ? `Replayed: ${words}` : `Healed: ${words}; ${change}`;
  play.summaries.push(words);
  const data = { kind: change === null ? 'script_replayed' : 'script_healed', script: path, version: script.version };
  await world.step({ ...(await scriptStep(play.tab, summary, { ...data, step: action.do })), worker: 'script' });
}

/** Returns a step that used no tokens. */
export async function scriptStep(tab: Tab | null, summary: string, action: JsonObject): Promise<AgentStep> {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return { summary: summary.slice(0, summaryMax), action, url: await readUrl(tab), usage };
}

const summaryMax = 300;

async function readUrl(tab: Tab | null): Promise<string> {
  try {
    return tab === null ? 'about:blank' : await tab.url();
  } catch (error) {
    if (error instanceof TabError) return 'about:blank';
    throw error;
  }
}
