import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { type SiteName, sites } from '../../fixtures/sites/index.ts';
import { checkTaskFile } from './task-file.ts';

/** What a site and an output have to show in the end. */
export interface Expected {
  /** Of the site's state: named members only, lists in full. */
  readonly state?: JsonObject;
  /** Texts that the answer in words holds. */
  readonly answer?: readonly string[];
  /** The schema that the task carries, and what its output holds. */
  readonly output?: { readonly schema: JsonObject; readonly value: JsonValue };
}

/** A task as a person would give it (fixtures/tasks/README.md says what each member means). */
export interface Task {
  readonly id: string;
  readonly site: SiteName;
  readonly kind: 'plain' | 'free';
  /** With `{shop}` and the like for the address of the site. */
  readonly wording: string;
  readonly possible: boolean;
  readonly mailbox: boolean;
  /** Texts of the files in the workspace, by their names. */
  readonly files: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly expect: Expected;
}

const folder = 'fixtures/tasks';

/** All tasks in the order of their files; throws for a file that is not as it has to be. */
export function readTasks(): Task[] {
  const tasks = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((name) => tasksOf(name));
  const twice = tasks.find(({ id }, at) => tasks.findIndex((each) => each.id === id) !== at);
  if (twice !== undefined) throw new Error(`two tasks are called ${twice.id}`);
  return tasks;
}

function tasksOf(name: string): Task[] {
  const { site, tasks } = checkTaskFile(name, parse(readFileSync(join(folder, name), 'utf8')));
  if (!isSite(site)) throw new Error(`${name}: there is no site ${site}`);
  return tasks.map((row) => ({ possible: true, mailbox: false, files: {}, secrets: {}, ...row, site }));
}

function isSite(name: string): name is SiteName {
  return Object.hasOwn(sites, name);
}
