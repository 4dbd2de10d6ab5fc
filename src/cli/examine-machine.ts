import { access, constants, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { providersFromEnvironment } from '#agent/providers/configuration.ts';
import { createLocalHost, type HostReport } from '#browsers/index.ts';
import { findChromium, languagePacks } from '#browsers/launch/find-chromium.ts';
import { demandPlaywright } from '#browsers/launch/load-playwright.ts';
import { loadOptional, MissingPackage } from '#contract/load-optional.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { openPaths } from '#store/data-folder.ts';
import { hasCode } from '#lib/system-errors.ts';
import { readIntegrations } from './serve/read-files.ts';

const bytesPerMegabyte = 1_000_000;
const wantedMegabytes = 1000;
const ports = [
  { number: 8080, command: 'serve' },
  { number: 4010, command: 'mock' },
] as const;

/**
 * Checks whether this machine can run `svc serve` and `svc mock`. Apart from temporary files, changes only the cache
 * folder to which the bundled Chromium is unpacked.
 */
export async function examineMachine(dataFolder: string): Promise<readonly Finding[]> {
  const portFindings = ports.map(({ number, command }) => examinePort(number, command));
  return [
    // An older Node does not reach this code: the command itself refuses it.
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
    return [{ ok: false, subject: 'Chromium', text: errorMessage(error) }];
  }
}

/**
 * Checks the language packs of a browser. Without them a browser works, but its pages format numbers and dates as in
 * the United States.
 */
async function examineLanguages(path: string): Promise<Finding> {
  const subject = 'languages';
  const packs = await languagePacks(path);
  if (packs === null)
    return { ok: true, subject, text: 'all installed: numbers and dates of pages follow proxyCountryCode' };
  const few = `only ${packs.join(', ')}: numbers and dates of pages do not follow proxyCountryCode. Next: install the language packs (Debian: chromium-l10n)`;
  return { ok: true, subject, text: packs.length > 1 ? `${packs.length} packs` : few };
}

/** Checks whether a port is free. A port in use is not an error, because another port can be chosen. */
function examinePort(number: number, command: string): Promise<Finding> {
  const subject = `port ${number}`;
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done({ ok: true, subject, text: `in use: start svc ${command} with another --port` }));
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
    return { ok: false, subject: 'data folder', text: `${errorMessage(error)}: choose another with --data` };
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

/** Returns the folder itself if it exists, otherwise its nearest existing ancestor. */
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

/** Starts a browser in a temporary folder, and reads from the kernel how the processes of its pages are isolated. */
export async function examineIsolation(): Promise<Finding> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  const host = await createLocalHost({ directory, log: { info: () => undefined, warn: () => undefined } });
  try {
    const report = await host.inspect?.();
    return { ok: true, subject: 'isolation', text: report === undefined ? 'unknown' : describe(report) };
  } catch (error) {
    return { ok: false, subject: 'isolation', text: errorMessage(error) };
  } finally {
    await host.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function describe({ isolation }: HostReport): string {
  const { uid, ownUser, sandbox, seccomp, noNewPrivileges, egressProxy } = isolation;
  return [
    `browsers run as user ${uid}${ownUser ? ' of their own' : ', the user of the service: start it as root to separate them'}`,
    sandbox === 'none'
      ? 'NO sandbox: allow users to create namespaces (kernel.unprivileged_userns_clone)'
      : `sandbox: ${sandboxParts(isolation)}`,
    seccomp ? 'system calls filtered' : 'system calls NOT filtered',
    noNewPrivileges ? 'cannot gain privileges' : 'CAN gain privileges',
    egressProxy ? 'all requests pass the egress proxy' : 'NO egress proxy',
  ].join('; ');
}

function sandboxParts({ userNamespace, pidNamespace, networkNamespace }: HostReport['isolation']): string {
  const isolated = [
    ...(userNamespace === false ? [] : ['users']),
    ...(pidNamespace ? ['processes'] : []),
    ...(networkNamespace === false ? [] : ['network']),
  ];
  return isolated.length === 0 ? 'filtered system calls only' : `namespaces (${isolated.join(', ')})`;
}

const subject = 'packages';

/** Checks whether the npm packages for real browsers are installed. */
async function examinePackages(): Promise<Finding> {
  try {
    await demandPlaywright();
    return { ok: true, subject, text: 'all packages for real browsers are installed' };
  } catch (error) {
    if (error instanceof MissingPackage) return { ok: false, subject, text: error.message };
    throw error;
  }
}

const subjectExamineProviders = 'model providers';

/**
 * Lists the model providers that `svc serve` would use with the keys in the environment. Sends no request and shows no
 * key.
 */
export function examineProviders(environment: Readonly<Record<string, string | undefined>>): Finding {
  try {
    const found = [...providersFromEnvironment(defaultRules.providers, environment).keys()];
    const none = 'no key in the environment: the offline planner works, unless --providers or projects have keys';
    return {
      ok: true,
      subject: subjectExamineProviders,
      text: found.length === 0 ? none : `keys for ${found.join(', ')}`,
    };
  } catch (error) {
    return { ok: false, subject: subjectExamineProviders, text: errorMessage(error) };
  }
}

const subjectExamineSecrets = 'secrets';
/** Files with the secrets of URL signatures and of encryption. */
const names = ['signing-secret', 'sealing-secret'] as const;
/** Permission bits of group and others. */
const others = 0o077;

/** Checks that only their owner can access the secret files of a data folder. Missing files are no fault. */
export async function examineSecrets(dataFolder: string): Promise<Finding> {
  try {
    return await examineFiles(names.map((name) => join(resolve(dataFolder), name)));
  } catch (error) {
    return {
      ok: false,
      subject: subjectExamineSecrets,
      text: `${errorMessage(error)}: choose another folder with --data`,
    };
  }
}

/** Maximum number of paths in one finding. */
const namedMax = 3;

/** Checks whether other users of the machine can access files of a data folder. */
export async function examineModes(dataFolder: string): Promise<Finding> {
  const [finding, folder] = [{ subject: 'modes' }, resolve(dataFolder)];
  try {
    const open = await openPaths(folder);
    if (open.length === 0) return { ...finding, ok: true, text: 'no other user can access the data folder' };
    const more = open.length > namedMax ? ` and ${open.length - namedMax} more` : '';
    const named = `other users can access ${open.slice(0, namedMax).join(', ')}${more}`;
    return {
      ...finding,
      ok: false,
      text: `${named}: start svc serve, which corrects it, or run chmod -R go= ${folder}`,
    };
  } catch (error) {
    return { ...finding, ok: false, text: `${errorMessage(error)}: choose another folder with --data` };
  }
}

async function examineFiles(files: readonly string[]): Promise<Finding> {
  const found = await Promise.all(files.map(async (path) => ({ path, mode: await readMode(path) })));
  const open = found.filter(({ mode }) => mode !== null && (mode & others) !== 0).map(({ path }) => path);
  if (open.length > 0)
    return {
      ok: false,
      subject: subjectExamineSecrets,
      text: `other users can access ${open.join(' and ')}: run chmod 600 ${open.join(' ')}`,
    };
  const isNew = found.every(({ mode }) => mode === null);
  return {
    ok: true,
    subject: subjectExamineSecrets,
    text: isNew ? 'created at the first start' : 'only their owner can read them',
  };
}

/** Returns the mode of a file, with its permission bits; null for a missing file. */
async function readMode(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

const subjectExamineDatabase = 'database';

/** Oldest tested major version of PostgreSQL. */
const versionMin = 15;

/**
 * Checks whether a PostgreSQL database can be used, without changing it. The finding does not contain the address, in
 * which a password may occur.
 */
export async function examineDatabase(address: string): Promise<Finding> {
  try {
    const { databaseVersion } = await loadOptional('database', () => import('#store/postgres/index.ts'));
    const version = await databaseVersion(address);
    const ok = version >= versionMin;
    return {
      ok,
      subject: subjectExamineDatabase,
      text: `PostgreSQL ${version}${ok ? '' : `, expected at least ${versionMin}`}`,
    };
  } catch (error) {
    return { ok: false, subject: subjectExamineDatabase, text: errorMessage(error) };
  }
}

const subjectExamineIntegrations = 'integrations';

/** Checks a file of integrations. Starts no server and connects to none. */
export async function examineIntegrations(file: string): Promise<Finding> {
  try {
    const found = (await readIntegrations(file, defaultRules)).map(({ name }) => name);
    const text = found.length === 0 ? 'none in the file' : `${found.join(', ')}: the console tests each`;
    return { ok: true, subject: subjectExamineIntegrations, text };
  } catch (error) {
    return { ok: false, subject: subjectExamineIntegrations, text: errorMessage(error) };
  }
}

/** Result of one check. */
export interface Finding {
  readonly ok: boolean;
  readonly subject: string;
  /** What the check found and, for a fault, how to correct it. */
  readonly text: string;
}

/** Returns the message of a thrown value. */
function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
