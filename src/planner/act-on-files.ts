import { type AgentFiles, FileError } from '#agent/files.ts';
import type { AgentWorld } from '#agent/agent.ts';
import { type Done, shortened } from './step-summary.ts';
import type { Facts } from '#agent/answer/facts.ts';
import { type FileAction, unreachable } from '#agent/answer/plan.ts';

/**
 * Executes an action on files. Rejects with a FileError for a problem of a file and with a TabError for a failure of
 * the page.
 */
export function actOnFiles(action: FileAction, world: AgentWorld, facts: Facts): Promise<Done> {
  const { files } = world;
  switch (action.kind) {
    case 'readFile':
      return readFiles(action.name, files, facts);
    case 'listFiles':
      return listFiles(action.which, files, facts);
    case 'writeFile':
      return writeFile(action, files, facts);
    case 'upload':
      return uploadFile(action, world, facts);
    case 'download':
      return downloadFile(action, world, facts);
    default:
      return unreachable(action);
  }
}

/** Uploads a file of the workspace to the page. */
async function uploadFile(
  { name, field }: Extract<FileAction, { kind: 'upload' }>,
  world: AgentWorld,
  facts: Facts,
): Promise<Done> {
  const { path, bytes, contentType } = await world.files.read(name);
  const bare = path.slice(path.lastIndexOf('/') + 1);
  await (await world.tab()).upload(field, { name: bare, bytes, contentType });
  const done = `Put the file ${shortened(path)} into ${field === null ? 'the page' : `"${shortened(field)}"`}`;
  note(facts, `${done}.`);
  return { summary: done, observed: '' };
}

/** Clicks a download and waits until the file is in the workspace. */
async function downloadFile(
  { name }: Extract<FileAction, { kind: 'download' }>,
  world: AgentWorld,
  facts: Facts,
): Promise<Done> {
  // Before the click: without a workspace the file could not be stored.
  const before = await world.files.downloads();
  await (await world.tab()).download(name);
  const [file] = (await world.files.downloads()).slice(before.length);
  if (file === undefined) throw new FileError(`No file came of the download "${name}".`);
  const done = `Downloaded ${shortened(file.path)} (${file.size} bytes)`;
  note(facts, `${done}.`);
  return { summary: done, observed: '' };
}

/** Adds a sentence to the answer. */
function note(facts: Facts, sentence: string): void {
  facts.notes = [...(facts.notes ?? []), sentence];
}

async function readFiles(name: string | null, files: AgentFiles, facts: Facts): Promise<Done> {
  const names = name === null ? await attachedPaths(files) : [name];
  const texts: string[] = [];
  const paths: string[] = [];
  // One after the other: twenty files of maximum size do not fit into memory together.
  for (const one of names) {
    const file = await files.readText(one);
    texts.push(file.text);
    paths.push(file.path);
  }
  const text = texts.join('\n');
  facts.file = facts.file === undefined ? text : `${facts.file}\n${text}`;
  facts.latest = text;
  return { summary: `Read the file ${shortened(paths.join(', '))}: ${shortened(text)}`, observed: text };
}

async function attachedPaths(files: AgentFiles): Promise<string[]> {
  const attached = await files.attached();
  if (attached.length === 0) throw new FileError('No file is attached to this task.');
  return attached.map(({ path }) => path);
}

async function listFiles(which: 'all' | 'attached', files: AgentFiles, facts: Facts): Promise<Done> {
  const found = which === 'all' ? await files.list() : await files.attached();
  const paths = found.map(({ path }) => path);
  facts.files = paths;
  facts.latest = paths.join('\n');
  return { summary: `Listed the files: ${shortened(facts.latest) || 'none'}`, observed: facts.latest };
}

async function writeFile(
  { name, text }: Extract<FileAction, { kind: 'writeFile' }>,
  files: AgentFiles,
  facts: Facts,
): Promise<Done> {
  const written = text ?? facts.latest;
  if (written === undefined) throw new FileError(`I have read nothing that I could save as ${name}.`);
  const { path, size } = await files.write(name, written);
  note(facts, `Saved ${path} (${size} bytes).`);
  return { summary: `Saved ${shortened(path)} (${size} bytes)`, observed: '' };
}
