import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRecordingLog } from './testing/recording-log.ts';
import { browserFolder } from './launch/browser-folder.ts';
import { type FolderOwner, writeOwner } from './launch/folder-owner.ts';
import { isAlive, killGroup, type ProcessMark, processMark } from './isolation/process-table.ts';
import { sweepOrphans } from './sweep-orphans.ts';

/** Process mark of a service that has ended: the process id of this test with another start time. */
const deadService: ProcessMark = { pid: process.pid, startTicks: 1 };

let directory: string;
let children: ChildProcess[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-sweep-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) killGroup(child.pid ?? 0);
  await rm(directory, { recursive: true });
});

/** Starts a Node process in place of a browser that outlived its service. The process echoes its input. */
async function standIn(argument: string): Promise<ProcessMark> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)', '--', argument], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  children.push(child);
  await once(child, 'spawn');
  const mark = await processMark(child.pid ?? 0);
  if (mark === null) throw new Error('the stand-in did not start');
  return mark;
}

/** Returns whether every process of `standIn` is still alive, because it echoes a message. */
async function allAnswer(): Promise<boolean> {
  const answers = children.map(async (child) => {
    child.stdin?.write('alive?');
    return Promise.race([once(child.stdout ?? child, 'data').then(() => true), once(child, 'exit').then(() => false)]);
  });
  return (await Promise.all(answers)).every(Boolean);
}

async function getFolder(sessionId: string, owner: FolderOwner): Promise<void> {
  const folder = browserFolder(directory, sessionId);
  await mkdir(folder.root);
  await writeOwner(folder.ownerFile, owner);
}

test('kills a browser that outlived its service and removes its folder', async () => {
  const browser = await standIn(`--user-data-dir=${browserFolder(directory, 'left').profile}`);
  await getFolder('left', { service: deadService, browser });
  const log = createRecordingLog();
  expect(await sweepOrphans(directory, log)).toEqual({ removed: ['left'], withProfile: [] });
  expect(await isAlive(browser)).toBe(false);
  expect(await readdir(directory)).toEqual([]);
  expect(log.warnings).toHaveLength(1);
});

test('never kills a process that is not the browser of the folder', async () => {
  const stranger = await standIn('--user-data-dir=/somewhere/else');
  await getFolder('left', { service: deadService, browser: stranger });
  const reused = await standIn(`--user-data-dir=${browserFolder(directory, 'other').profile}`);
  await getFolder('other', { service: deadService, browser: { pid: reused.pid, startTicks: reused.startTicks - 1 } });
  expect(await sweepOrphans(directory, createRecordingLog())).toEqual({ removed: ['left', 'other'], withProfile: [] });
  expect(await allAnswer()).toBe(true);
  expect(await readdir(directory)).toEqual([]);
});

test('ends what a service left that was killed while it made or removed a folder', async () => {
  const half = browserFolder(directory, 'half');
  await mkdir(half.root);
  await mkdir(half.profile);
  const unnamed = await standIn(`--user-data-dir=${half.profile}`);
  await mkdir(browserFolder(directory, 'begun').root);
  const started = await standIn(`--user-data-dir=${browserFolder(directory, 'started').profile}`);
  await getFolder('started', { service: deadService, browser: null });
  const { removed } = await sweepOrphans(directory, createRecordingLog());
  expect(removed.toSorted()).toEqual(['begun', 'half', 'started']);
  expect([await isAlive(unnamed), await isAlive(started)]).toEqual([false, false]);
  expect(await readdir(directory)).toEqual([]);
});

test('keeps folders of a running service and folders without an owner', async () => {
  const service = await processMark(process.pid);
  if (service === null) throw new Error('we do not live');
  const browser = await standIn(`--user-data-dir=${browserFolder(directory, 'ours').profile}`);
  await getFolder('ours', { service, browser });
  for (const name of ['nobodys', 'broken']) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'diary.txt'), 'Monday');
  }
  await writeFile(join(directory, 'broken', 'owner.json'), '{"service":');
  expect(await sweepOrphans(directory, createRecordingLog())).toEqual({ removed: [], withProfile: [] });
  expect(await allAnswer()).toBe(true);
  expect((await readdir(directory)).toSorted()).toEqual(['broken', 'nobodys', 'ours']);
});
