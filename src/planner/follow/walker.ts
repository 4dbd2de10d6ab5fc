import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '#agent/agent.ts';
import { OUTLINE_MAX, type Tab, TabError } from '#browsers/tab/tab.ts';
import { estimateUsage, shortened } from '../step-summary.ts';
import { nodesIn, type PageNode, parseOutline } from '../page/page-node.ts';
import type { Deed } from '#agent/answer/plan.ts';

/** Milliseconds that a page may take to show the result of a step, and milliseconds between two looks at it. */
const LOOK_FOR_MS = 3_000;
const BETWEEN_LOOKS_MS = 250;
/** Characters from which on an outline is long. */
const LONG_OUTLINE = OUTLINE_MAX / 2;
/** The same for a page with a long outline, which each look reads as a whole. */
const BETWEEN_LONG_LOOKS_MS = 1_000;

/** The page of a task, with what was done there so far. */
export interface Walker {
  readonly world: AgentWorld;
  readonly tab: Tab;
  /** The page as it was at the latest look. */
  page(): PageNode;
  url(): string;
  title(): string;
  /** Looks again. */
  look(): Promise<PageNode>;
  /** Looks again and again until something is found, for three seconds; answers what the last look found. */
  lookFor<T>(find: (page: PageNode) => T | null): Promise<T | null>;
  /** Does one thing, looks again and books the step. */
  act(step: Act): Promise<void>;
  /** Everything that was done, for a program that repeats it. */
  readonly done: Deed[];
  /** What was touched last, for "it" and "next to it". */
  touched: string | null;
  /** What was named last, for "it" and "her name". */
  named: readonly string[];
  /** What the page asked, for an answer without a field. */
  place: string | null;
  /** What was entered: a page that shows it again says nothing new. */
  readonly entered: string[];
  /** Fields by their names and what they were given since a page took it: texts, choices and ticks. */
  readonly filled: { readonly field: string; readonly value: string | boolean }[];
  /** Words of what must not be pressed. */
  readonly avoided: string[][];
  /** What the page answered when something was sent. */
  said: string | null;
}

/** One thing to do on the page. */
export interface Act {
  readonly summary: string;
  readonly action: Deed;
  readonly run: (tab: Tab) => Promise<unknown>;
  /** What it touches, null when it is the page. */
  readonly ref?: string | null;
}

/** Begins to work on the tab of a task. */
export async function createWalker(world: AgentWorld): Promise<Walker> {
  const tab = await world.tab();
  let seen = { url: 'about:blank', title: '', outline: '' };
  let page = parseOutline('');
  const walker: Walker = {
    world,
    tab,
    page: () => page,
    url: () => seen.url,
    title: () => seen.title,
    async look() {
      const before = seen.outline;
      seen = await tab.snapshot();
      if (seen.outline !== before) page = parseOutline(seen.outline);
      return page;
    },
    async lookFor(find) {
      for (let waitedMs = 0; waitedMs < LOOK_FOR_MS; ) {
        const found = find(page);
        if (found !== null) return found;
        const pauseMs = seen.outline.length > LONG_OUTLINE ? BETWEEN_LONG_LOOKS_MS : BETWEEN_LOOKS_MS;
        await world.wait(pauseMs);
        waitedMs += pauseMs;
        await walker.look();
      }
      return find(page);
    },
    async act({ summary, action, run, ref = null }) {
      await run(tab);
      await walker.look();
      walker.done.push(action);
      walker.touched = ref ?? walker.touched;
      const data: JsonObject = { ...action };
      const told = seen.title === '' ? summary : `${summary} - ${shortened(seen.title)}`;
      const usage = estimateUsage(seen.outline, JSON.stringify(action));
      await world.step({ summary: told, action: data, url: seen.url, usage });
    },
    done: [],
    touched: null,
    named: [],
    place: null,
    entered: [],
    filled: [],
    avoided: [],
    said: null,
  };
  return walker;
}

/** The node of a reference, or undefined when the page has it no more. */
export function nodeOf(page: PageNode, ref: string | null): PageNode | undefined {
  return ref === null ? undefined : nodesIn(page).find((node) => node.ref === ref);
}

/** Says why something could not be done. */
export function cannot(sentence: string): TabError {
  return new TabError(sentence);
}
