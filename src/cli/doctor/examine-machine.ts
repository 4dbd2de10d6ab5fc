import { access, constants, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { findChromium, languagePacks } from '#browsers/launch/find-chromium.ts';
import { examineIsolation } from './examine-isolation.ts';
import { examinePackages } from './examine-packages.ts';
import { examineProviders } from './examine-providers.ts';
import { examineModes, examineSecrets } from './examine-secrets.ts';
import type { Finding } from './finding.ts';
import { messageOf } from './message-of.ts';

const bytesPerMegabyte = 1_000_000;
const wantedMegabytes = 1000;
const ports = [
  { number: 8080, command: 'serve' },
  { number: 4010, command: 'mock' },
] as const;

/** Looks at everything that serve and mock need. Changes nothing but the cache folder that the bundled Chromium unpacks to. */
export async function examineMachine(dataFolder: string): Promise<readonly Finding[]> {
  const portFindings = ports.map(({ number, command }) => examinePort(number, command));
  return [
    // The command itself refuses an older Node before it comes here.
    { ok: true, subject: 'Node', text: process.versions.node },
    await examinePackages(),
    ...(await examineBrowsers()),
    ...(await Promise.all(portFindings)),
    await examineFolder(dataFolder),
    await examineSecrets(dataFolder),
    await examineModes(dataFolder),
    await examineSpace(dataFolder),
    examineProviders(process.env),
  ];
}

async function examineBrowsers(): Promise<readonly Finding[]> {
  try {
    const { path, source } = await findChromium();
    const found = { ok: true, subject: 'Chromium', text: `${path} (${source})` };
    return [found, await examineLanguages(path), await examineIsolation()];
  } catch (error) {
    return [{ ok: false, subject: 'Chromium', text: messageOf(error) }];
  }
}

/** A browser without language packs works: only the numbers and dates of its pages are those of the United States. */
async function examineLanguages(path: string): Promise<Finding> {
  const subject = 'languages';
  const packs = await languagePacks(path);
  if (packs === null) return { ok: true, subject, text: 'all: numbers and dates of pages follow proxyCountryCode' };
  const few = `only ${packs.join(', ')}: install the packs (Debian: chromium-l10n) so that numbers and dates of pages follow proxyCountryCode`;
  return { ok: true, subject, text: packs.length > 1 ? `${packs.length} packs` : few };
}

/** A taken port is no fault of the machine: another one can be chosen. */
function examinePort(number: number, command: string): Promise<Finding> {
  const subject = `port ${number}`;
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done({ ok: true, subject, text: `taken: give svc ${command} another --port` }));
    server.listen(number, '127.0.0.1', () =>
      server.close(() => done({ ok: true, subject, text: `free for svc ${command}` })),
    );
  });
}

async function examineFolder(folder: string): Promise<Finding> {
  const path = await nearestFolder(folder);
  try {
    await access(path, constants.W_OK);
    if (!(await stat(path)).isDirectory()) throw new Error(`${path} is no folder`);
    return { ok: true, subject: 'data folder', text: `${resolve(folder)} can be written` };
  } catch (error) {
    return { ok: false, subject: 'data folder', text: `${messageOf(error)}: choose another with --data` };
  }
}

async function examineSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(folder));
  const megabytes = Math.floor((bavail * bsize) / bytesPerMegabyte);
  const enough = megabytes >= wantedMegabytes;
  return {
    ok: enough,
    subject: 'disk',
    text: `${megabytes} MB free${enough ? '' : `, expected at least ${wantedMegabytes} MB`}`,
  };
}

/** The folder itself, or the nearest one above it that exists: that is where it would be made. */
async function nearestFolder(folder: string): Promise<string> {
  const path = resolve(folder);
  try {
    await access(path);
    return path;
  } catch (error) {
    if (dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
}
