import { type AgentFiles, FileError } from '#agent/files.ts';
import type { AgentWorld } from '#agent/agent.ts';
import { type Done, shortened } from './step-summary.ts';
import type { Facts } from '#agent/answer/facts.ts';
import { type FileAction, unreachable, type MailAction } from '#agent/answer/plan.ts';
import { type Mail, MailError, type MailLink, type MailWish, type Mailbox } from '#agent/mailbox.ts';

/**
 * Executes an action on files, such as an upload or a download. Rejects with a FileError for a problem of a file, and
 * with a TabError for a failure of the page.
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

/**
 * Clicks a link or button and waits until the downloaded file is in the workspace. Rejects with a FileError if no file
 * arrives.
 */
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

async function readFiles(name: string | null, files: AgentFiles, facts: Facts): Promise<Done> {
  const names = name === null ? await attachedPaths(files) : [name];
  const texts: string[] = [];
  const paths: string[] = [];
  // One after the other, so that the bytes of only one file are in memory at a time.
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

/**
 * Executes an action on the session's mailbox, such as waiting for a mail. Rejects with a MailError for a problem of
 * the mailbox or a mail, and with a TabError for a failure of the page.
 */
export function actOnMail(action: MailAction, world: AgentWorld, facts: Facts): Promise<Done> {
  switch (action.kind) {
    case 'mailAddress':
      return typeAddress(action.field, world);
    case 'waitForMail':
      return waitForMail(action, world, facts);
    case 'mailLink':
      return openLink(action.name, world, facts);
    case 'mailCode':
      return useCode(action.field, world, facts);
    case 'readMail':
      return readMail(world, facts);
    default:
      return unreachable(action);
  }
}

function getMailbox({ mailbox }: AgentWorld): Mailbox {
  if (mailbox === null) throw new MailError('This session has no mailbox.');
  return mailbox;
}

async function typeAddress(field: string, world: AgentWorld): Promise<Done> {
  const { address } = getMailbox(world);
  await (await world.tab()).type(field, address);
  return { summary: `Typed "${address}" into "${shortened(field)}"`, observed: '' };
}

async function waitForMail(
  { from, subject }: Extract<MailAction, { kind: 'waitForMail' }>,
  world: AgentWorld,
  facts: Facts,
): Promise<Done> {
  const wish = { ...(from === null ? {} : { from }), ...(subject === null ? {} : { subject }) };
  const mail = await nextMail(wish, world);
  facts.mail = mail;
  return { summary: `Got the mail "${shortened(mail.subject)}" from ${shortened(mail.from)}`, observed: mail.subject };
}

async function nextMail(wish: MailWish, world: AgentWorld): Promise<Mail> {
  const mail = await getMailbox(world).wait(wish, world.signal);
  if (mail === null) throw new MailError('I waited for a mail, and none came.');
  return mail;
}

/**
 * Returns the mail for which the task has waited most recently. If the task has not waited for mail, waits for the next
 * mail. Rejects with a MailError if no mail arrives.
 */
async function currentMail(world: AgentWorld, facts: Facts): Promise<Mail> {
  const mail = facts.mail ?? (await nextMail({}, world));
  facts.mail = mail;
  return mail;
}

async function openLink(name: string | null, world: AgentWorld, facts: Facts): Promise<Done> {
  const { url } = getLink(await currentMail(world, facts), name);
  const tab = await world.tab();
  await tab.open(url);
  const title = await tab.title();
  facts.title = title;
  const done = `Opened ${shortened(url)} from the mail`;
  return { summary: title === '' ? done : `${done} - ${shortened(title)}`, observed: title };
}

const confirmsPattern =
  /confirm|verif|activat|best[aä]tig|aktivier|valider|confirmar|confermar?|potwierd|підтверд|подтверд|確認|确认|확인/iu;

/**
 * Returns the link of a mail whose text contains `name` (null: any link). If several links match, returns the only
 * confirmation link among them. Throws a MailError if no link matches, or if several match and not exactly one is a
 * confirmation link.
 */
function getLink({ links }: Mail, name: string | null): MailLink {
  const wanted = name?.toLowerCase();
  const named = wanted === undefined ? links : links.filter(({ text }) => text.toLowerCase().includes(wanted));
  const confirming = named.filter(({ text, url }) => confirmsPattern.test(`${text} ${url}`));
  const single = [named, confirming].find((list) => list.length === 1)?.[0];
  if (single !== undefined) return single;
  const found = named.slice(0, 5).map(({ text, url }) => `"${shortened(text)}" (${shortened(url)})`);
  if (found.length > 0)
    throw new MailError(`The mail has several links: ${found.join(', ')}. I do not know which to open.`);
  throw new MailError(name === null ? 'The mail has no link.' : `The mail has no link "${shortened(name)}".`);
}

async function useCode(field: string | null, world: AgentWorld, facts: Facts): Promise<Done> {
  const [code, ...others] = (await currentMail(world, facts)).codes;
  if (code === undefined) throw new MailError('I found no code in the mail.');
  if (others.length > 0)
    throw new MailError(`The mail has several codes: ${[code, ...others].join(', ')}. I do not know which is meant.`);
  if (field === null) {
    note(facts, code);
    return { summary: `Read the code ${code} in the mail`, observed: code };
  }
  await (await world.tab()).type(field, code);
  return { summary: `Typed the code ${code} into "${shortened(field)}"`, observed: code };
}

async function readMail(world: AgentWorld, facts: Facts): Promise<Done> {
  const { subject, text } = await currentMail(world, facts);
  note(facts, text === '' ? subject : text);
  facts.latest = text;
  return { summary: `Read the mail "${shortened(subject)}": ${shortened(text)}`, observed: text };
}

/** Adds a text to the answer. */
function note(facts: Facts, text: string): void {
  facts.notes = [...(facts.notes ?? []), text];
}
