import type { AgentWorld } from '#agent/agent.ts';
import { type Mail, MailError, type MailLink, type MailWish, type Mailbox } from '#agent/mailbox.ts';
import { type Done, shortened } from './step-summary.ts';
import type { Facts } from '#agent/answer/facts.ts';
import { type MailAction, unreachable } from '#agent/answer/plan.ts';

/**
 * Executes an action on the mailbox. Rejects with a MailError for a problem of the mailbox or a mail and with a
 * TabError for a failure of the page.
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

/** Returns the mail that was awaited last, else waits for the next one. */
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

const CONFIRMS =
  /confirm|verif|activat|best[aä]tig|aktivier|valider|confirmar|confermar?|potwierd|підтверд|подтверд|確認|确认|확인/iu;

/** Returns the link of a mail with a name; rejects when the choice is ambiguous. */
function getLink({ links }: Mail, name: string | null): MailLink {
  const wanted = name?.toLowerCase();
  const named = wanted === undefined ? links : links.filter(({ text }) => text.toLowerCase().includes(wanted));
  const confirming = named.filter(({ text, url }) => CONFIRMS.test(`${text} ${url}`));
  const [only] = named.length === 1 ? named : confirming.length === 1 ? confirming : [];
  if (only !== undefined) return only;
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
