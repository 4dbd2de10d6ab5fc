import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^svc-mock-(\d+)-[0-9a-f-]{36}$/;

/** A folder for files that go with this process, until `owned` ends. What mocks left that were killed goes before. */
export function passingFolder(owned: AsyncDisposableStack, place: string = tmpdir()): string {
  for (const name of readdirSync(place)) if (isLeft(place, name)) remove(join(place, name));
  const folder = join(place, `svc-mock-${process.pid}-${randomUUID()}`);
  mkdirSync(folder, { mode: 0o700 });
  owned.defer(() => remove(folder));
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Whether it is a folder of ours whose process is gone. */
function isLeft(place: string, name: string): boolean {
  const pid = NAME.exec(name)?.[1];
  if (pid === undefined || isAlive(Number(pid))) return false;
  const found = statSync(join(place, name), { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
