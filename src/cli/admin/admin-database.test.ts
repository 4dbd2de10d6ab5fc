import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endSignals } from '../process-end.ts';
import { removingOnInterrupt } from './admin-database.ts';

describe('work that fills a folder', () => {
  let parent: string;
  let folder: string;
  let codes: number[];
  let host: EventEmitter & { exit(code: number): void };
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'svc-taking-back-'));
    folder = join(parent, 'copy');
    codes = [];
    host = Object.assign(new EventEmitter(), { exit: (code: number) => void codes.push(code) });
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  const half = async (): Promise<void> => {
    mkdirSync(join(folder, 'blobs'), { recursive: true });
    writeFileSync(join(folder, 'blobs', 'one'), 'half');
    host.emit('SIGINT');
  };

  it('removes its files when it is interrupted', async () => {
    await removingOnInterrupt(folder, half, host);
    expect([codes, existsSync(folder)]).toEqual([[4], false]);
  });

  it('keeps an existing empty folder', async () => {
    mkdirSync(folder);
    await removingOnInterrupt(folder, half, host);
    expect([codes, readdirSync(folder)]).toEqual([[4], []]);
  });

  it('leaves a folder with content unchanged', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine'), 'kept');
    await removingOnInterrupt(folder, async () => void host.emit('SIGHUP'), host);
    expect([codes, readdirSync(folder)]).toEqual([[4], ['mine']]);
  });

  it('removes its signal handlers', async () => {
    expect(await removingOnInterrupt(folder, async () => 'done', host)).toBe('done');
    expect(endSignals.map((signal) => host.listenerCount(signal))).toEqual([0, 0, 0]);
  });
});
