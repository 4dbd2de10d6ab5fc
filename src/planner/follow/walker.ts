import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '#agent/agent.ts';
import { outlineMax, type Tab, TabError } from '#browsers/tab/tab.ts';
import { estimateUsage, shortened } from '../step-summary.ts';
import { nodesIn, type PageNode, parseOutline } from '#agent/page-node.ts';
import type { PerformedAction } from '#agent/answer/plan.ts';

/** Maximum time in milliseconds to wait for the result of a step. The page is observed every `betweenLooksMs`. */
const lookForMs = 3_000;
const betweenLooksMs = 250;
/** Number of characters above which the outline of a page counts as long. */
const longOutline = outlineMax / 2;
/**
 * Milliseconds between two observations of a page with a long outline, because each observation reads the whole page.
 */
const betweenLongLooksMs = 1_000;

/** The page that a task works on, and the state that its earlier actions have left. */
export interface Walker {
  readonly world: AgentWorld;
  readonly tab: Tab;
  /** Returns the page as last observed. */
  page(): PageNode;
  url(): string;
  title(): string;
  /** Observes the page and returns it. */
  look(): Promise<PageNode>;
  /**
   * Observes the page repeatedly until `find` returns a value, and returns this value. Returns null if `find` finds
   * nothing within `lookForMs`.
   */
  lookFor<T>(find: (page: PageNode) => T | null): Promise<T | null>;
  /** Executes an action, observes the page and records the action as a step. Rejects with the error of the action. */
  act(step: Act): Promise<void>;
  /** Executed actions, from which a program that repeats the task is written. */
  readonly done: PerformedAction[];
  /**
   * Reference of the element that was used last, to interpret "it" and "next to it"; null before the first use of an
   * element.
   */
  touched: string | null;
  /** Words of the element or person that was named last, to interpret "it" and "her name". */
  named: readonly string[];
  /**
   * Place of the next action, for example a question on the page; null without one. A value without a field name is
   * entered into the field with the name of the place.
   */
  place: string | null;
  /** Values that were typed into fields. A text in which the page repeats one of these values is no error message. */
  readonly entered: string[];
  /**
   * Fields of the current page that were filled, with their values: a text, the name of a selected option, or a checked
   * state.
   */
  readonly filled: { readonly field: string; readonly value: string | boolean }[];
  /** For each control that must not be pressed, the words of its name. */
  readonly avoided: string[][];
  /** Latest confirmation message of the page, or a sentence about the latest download; null if there was none. */
  said: string | null;
}

/** An action on the page. */
export interface Act {
  readonly summary: string;
  readonly action: PerformedAction;
  readonly run: (tab: Tab) => Promise<unknown>;
  /** Reference of the element on which the action works; null for the page itself. */
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
      for (let waitedMs = 0; waitedMs < lookForMs; ) {
        const found = find(page);
        if (found !== null) return found;
        const pauseMs = seen.outline.length > longOutline ? betweenLongLooksMs : betweenLooksMs;
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

/** Creates the error for an action that the page does not allow. `sentence` tells the user why. */
export function impossibleAction(sentence: string): TabError {
  return new TabError(sentence);
}
