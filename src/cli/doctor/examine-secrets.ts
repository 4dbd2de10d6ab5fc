import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openPaths } from '#store/data-folder.ts';
import type { Finding } from './finding.ts';
import { messageOf } from './message-of.ts';

const subject = 'secrets';
/** What signs addresses, and what seals keys of providers, secrets of tasks and profiles. */
const names = ['signing-secret', 'sealing-secret'] as const;
/** Everybody but their owner. */
const others = 0o077;

/** Whether nobody but their owner can read the files that open what a data folder keeps sealed. */
export async function examineSecrets(dataFolder: string): Promise<Finding> {
  try {
    return await examineFiles(names.map((name) => join(resolve(dataFolder), name)));
  } catch (error) {
    return { ok: false, subject, text: `${messageOf(error)}: choose another folder with --data` };
  }
}

/** Paths that are named in one finding. */
const namedMax = 3;

/** Returns whether other users of the machine can reach anything of a data folder. */
export async function examineModes(dataFolder: string): Promise<Finding> {
  const [finding, folder] = [{ subject: 'modes' }, resolve(dataFolder)];
  try {
    const open = await openPaths(folder);
    if (open.length === 0) return { ...finding, ok: true, text: 'others can reach nothing of the data folder' };
    const more = open.length > namedMax ? ` and ${open.length - namedMax} more` : '';
    const named = `others can reach ${open.slice(0, namedMax).join(', ')}${more}`;
    return { ...finding, ok: false, text: `${named}: start svc serve, which repairs it, or chmod -R go= ${folder}` };
  } catch (error) {
    return { ...finding, ok: false, text: `${messageOf(error)}: choose another folder with --data` };
  }
}

async function examineFiles(files: readonly string[]): Promise<Finding> {
  const found = await Promise.all(files.map(async (path) => ({ path, mode: await modeOf(path) })));
  const open = found.filter(({ mode }) => mode !== null && (mode & others) !== 0).map(({ path }) => path);
  if (open.length > 0)
    return { ok: false, subject, text: `others can reach ${open.join(' and ')}: chmod 600 ${open.join(' ')}` };
  const isNew = found.every(({ mode }) => mode === null);
  return { ok: true, subject, text: isNew ? 'made at the first start' : 'only their owner can read them' };
}

/** Null where there is no such file. */
async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
