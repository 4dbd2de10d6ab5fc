import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '#agent/agent.ts';
import { OUTLINE_MAX, type Tab, TabError } from '#browsers/tab/tab.ts';
import { estimateUsage, shortened } from '../step-summary.ts';
import { nodesIn, type PageNode, parseOutline } from '#agent/page-node.ts';
import type { PerformedAction } from '#agent/answer/plan.ts';

/**
 * Milliseconds that a page may take to show the result of a step (`LOOK_FOR_MS`), and milliseconds between two
 * observations (`BETWEEN_LOOKS_MS`).
 */
const LOOK_FOR_MS = 3_000;
const BETWEEN_LOOKS_MS = 250;
/** Number of characters from which an outline counts as long. */
const LONG_OUTLINE = OUTLINE_MAX / 2;
/** Milliseconds between observations of a page with a long outline, which is always read completely. */
const BETWEEN_LONG_LOOKS_MS = 1_000;

/** The page of a task, and the state that previous actions have left. */
export interface Walker {
  readonly world: AgentWorld;
  readonly tab: Tab;
  /** Returns the page as last observed. */
  page(): PageNode;
  url(): string;
  title(): string;
  /** Observes the page. */
  look(): Promise<PageNode>;
  /**
   * Observes the page until `find` returns a value, for up to `LOOK_FOR_MS`. Returns this value; null if nothing was
   * found.
   */
  lookFor<T>(find: (page: PageNode) => T | null): Promise<T | null>;
  /** Performs an action, observes the page and records the step. */
  act(step: Act): Promise<void>;
  /** Performed actions, for a program that repeats them. */
  readonly done: PerformedAction[];
  /** Reference of the last touched element, for "it" and "next to it"; null without one. */
  touched: string | null;
  /** Words of the last named element or person, to which "it" and "her name" refer. */
  named: readonly string[];
  /** Place of the next action, such as a question of the page; names the field for a value without a field name. */
  place: string | null;
  /** Entered values: a page that shows them again says nothing new. */
  readonly entered: string[];
  /** Names of filled fields of the current page with their values: texts, choices and checked states. */
  readonly filled: { readonly field: string; readonly value: string | boolean }[];
  /** Words of controls that must not be pressed. */
  readonly avoided: string[][];
  /** Latest confirmation message of the page, or a sentence about the latest download; null without one. */
  said: string | null;
}

/** An action on the page. */
export interface Act {
  readonly summary: string;
  readonly action: PerformedAction;
  readonly run: (tab: Tab) => Promise<unknown>;
  /** Reference of the element; null for the page itself. */
  readonly ref?: string | null;
}

/** Creates a walker for the tab of a task. */
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

/** Returns the node with a reference; undefined when the page no longer has it. */
export function getNode(page: PageNode, ref: string | null): PageNode | undefined {
  return ref === null ? undefined : nodesIn(page).find((node) => node.ref === ref);
}

/** Creates the error for an action that is not possible. */
export function impossibleAction(sentence: string): TabError {
  return new TabError(sentence);
}
