import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type SiteName, sites } from '../../fixtures/sites/index.ts';
import { type Task, checkTaskFile } from './task-file.ts';

const folder = 'fixtures/tasks';

/** Reads all tasks in the order of their files. Throws for an invalid file, and for two tasks with the same id. */
export function readTasks(): Task[] {
  const tasks = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((name) => readTaskFile(name));
  const twice = tasks.find(({ id }, at) => tasks.findIndex((each) => each.id === id) !== at);
  if (twice !== undefined) throw new Error(`two tasks are called ${twice.id}`);
  return tasks;
}

function readTaskFile(name: string): Task[] {
  const { site, tasks } = checkTaskFile(name, parse(readFileSync(join(folder, name), 'utf8')));
  if (!isSite(site)) throw new Error(`${name}: there is no site ${site}`);
  return tasks.map((row) => ({ possible: true, mailbox: false, files: {}, secrets: {}, ...row, site }));
}

function isSite(name: string): name is SiteName {
  return Object.hasOwn(sites, name);
}
