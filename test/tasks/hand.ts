import type { JsonObject } from '#lib/json.ts';
import { readRows } from './read-rows.ts';

/** A tool call that a script requests. */
export interface Wish {
  readonly name: string;
  readonly input: JsonObject;
}

/** Result of a script: the answer as text and, for a task with a schema, the output. */
export interface Ending {
  readonly text: string;
  readonly output?: unknown;
}

/**
 * A script that solves a task. It yields one tool call at a time and returns the end. Throws when it cannot continue.
 */
export type Script = (hand: Hand, origin: string) => Generator<Wish, Ending, void>;

/** Actions for scripts, to be used with `yield*`. */
export type Doing = Generator<Wish, void, void>;

/** Name of an element: the whole name, or a pattern. */
export type Named = string | RegExp;

/**
 * Tools for scripts that act like a model. They find elements by role and name in the page snapshot that the model has
 * got last.
 */
export class Hand {
  /** Latest observation of the model. */
  seen = '';

  *open(url: string): Doing {
    yield { name: 'navigate', input: { url } };
  }

  *click(role: string, name: Named, after?: Named): Doing {
    yield { name: 'click', input: { ref: this.ref(role, name, after) } };
  }

  *type(role: string, name: Named, text: string): Doing {
    yield { name: 'type', input: { ref: this.ref(role, name), text } };
  }

  *select(name: Named, option: string): Doing {
    yield { name: 'select', input: { ref: this.ref('combobox', name), options: [option] } };
  }

  *check(role: string, name: Named, checked = true): Doing {
    yield { name: 'check', input: { ref: this.ref(role, name), checked } };
  }

  /** Uses any tool by its name. */
  *use(name: string, input: JsonObject): Doing {
    yield { name, input };
  }

  /**
   * Returns the reference of the first element with this role and name. With `after`, the search begins at the first
   * line that fits `after`. Throws without such a line or element.
   */
  ref(role: string, name: Named, after?: Named): string {
    const lines = this.seen.split('\n');
    const from = after === undefined ? 0 : lines.findIndex((line) => fits(line, after, true));
    const line = lines.slice(Math.max(0, from)).find((each) => isCalled(each, role, name));
    const ref = /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
    if (ref === undefined || from < 0) throw new Error(`there is no ${role} ${String(name)}`);
    return ref;
  }

  /** Returns whether the snapshot contains an element with a role and name. */
  has(role: string, name: Named): boolean {
    return this.seen.split('\n').some((line) => isCalled(line, role, name));
  }

  /** Returns the rows of all tables as the texts of their cells. */
  rows(): string[][] {
    return readRows(this.seen);
  }

  /** Returns the cells of the first row whose first cell is a text; throws without such a row. */
  row(first: string): string[] {
    const found = this.rows().find(([cell]) => cell === first);
    if (found === undefined) throw new Error(`there is no row ${first}`);
    return found;
  }

  /**
   * Returns the first group of the first match of a pattern, or the whole match without a group. Throws without a
   * match.
   */
  read(wanted: RegExp): string {
    const found = wanted.exec(this.seen);
    if (found === null) throw new Error(`nothing reads like ${String(wanted)}`);
    return found[1] ?? found[0];
  }

  /** Returns the groups of each match of a pattern. */
  readAll(wanted: RegExp): string[][] {
    return [...this.seen.matchAll(wanted)].map((found) => found.slice(1));
  }
}

function isCalled(line: string, role: string, name: Named): boolean {
  const [, found, called = ''] = /^\s*- '?(\w+)(?: "((?:[^"\\]|\\.)*)")?/.exec(line) ?? [];
  return found === role && fits(called, name, false);
}

function fits(text: string, name: Named, isPart: boolean): boolean {
  if (name instanceof RegExp) return name.test(text);
  return isPart ? text.includes(name) : text === name;
}
