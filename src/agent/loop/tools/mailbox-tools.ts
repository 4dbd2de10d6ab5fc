import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '../../agent.ts';
import { MAIL_WAIT_MS, type Mail, type MailWish, type Mailbox } from '../../mailbox.ts';
import type { ToolDefinition } from '../../model/model-call.ts';

/** Answer of a mailbox tool: text of the service, and text of mails as data. */
export interface MailToolAnswer {
  readonly text: string;
  readonly data?: string;
}

/** A mailbox tool, whose input conforms to its parameters. */
export interface MailTool extends ToolDefinition {
  readonly isStep: boolean;
  /** Returns what was done in plain words. */
  readonly summary: (input: JsonObject) => string;
  /** Runs the tool. Rejects with the signal's reason, or for a bug. */
  run(input: JsonObject, at: { readonly world: Pick<AgentWorld, 'mailbox' | 'signal'> }): Promise<MailToolAnswer>;
}

const WAIT_SECONDS_MAX = 600;
const LINKS_MAX = 40;
const NO_MAILBOX = 'This task has no mailbox.';

/** Tools for the mailbox of a session; offered only when the session has one. */
export const MAIL_TOOLS: readonly MailTool[] = [
  {
    name: 'get_mail_address',
    description:
      'Tells your own e-mail address in this session and lists the mails that came to it. Use it where a site asks for an e-mail address.',
    parameters: members({}, []),
    isStep: true,
    summary: () => 'Looked into the mailbox',
    run: (_input, { world }) => inMailbox(world.mailbox, listed),
  },
  {
    name: 'wait_for_mail',
    description:
      'Waits for a new mail that fits, also one that has come already and was not read, and answers with its codes, links and text.',
    parameters: members(
      {
        from: { type: 'string', description: "A part of the sender's name or address" },
        subject: { type: 'string', description: 'A part of the subject' },
        after: { type: 'integer', minimum: 0, description: 'Only mails that came after the mail with this number' },
        seconds: { type: 'integer', minimum: 1, maximum: WAIT_SECONDS_MAX, description: '300 when left out' },
      },
      [],
    ),
    isStep: true,
    summary: () => 'Waited for a mail',
    run: (input, { world }) => inMailbox(world.mailbox, (mailbox) => waited(mailbox, getWish(input), world.signal)),
  },
  {
    name: 'read_mail',
    description: 'Reads the mail of a number: its codes, links, text and the names of its files.',
    parameters: members({ number: { type: 'integer', minimum: 1 } }, ['number']),
    isStep: true,
    summary: ({ number }) => `Read the mail ${JSON.stringify(number ?? null)}`,
    run: ({ number }, { world }) => inMailbox(world.mailbox, (mailbox) => read(mailbox, Number(number))),
  },
];

function members(properties: Readonly<Record<string, JsonObject>>, required: readonly string[]): JsonObject {
  return { type: 'object', properties: { ...properties }, required: [...required], additionalProperties: false };
}

async function inMailbox(
  mailbox: Mailbox | null,
  act: (mailbox: Mailbox) => Promise<MailToolAnswer>,
): Promise<MailToolAnswer> {
  return mailbox === null ? { text: NO_MAILBOX } : act(mailbox);
}

async function listed(mailbox: Mailbox): Promise<MailToolAnswer> {
  const mails = await mailbox.list();
  const text = `Your address is ${mailbox.address}. Mails: ${mails.length}.`;
  const lines = mails.map(
    ({ number, from, subject, isNew }) => `${number}. ${isNew ? '(new) ' : ''}from ${from}: ${subject}`,
  );
  return mails.length === 0 ? { text } : { text, data: lines.join('\n') };
}

function getWish({ from, subject, after, seconds }: JsonObject): MailWish & { readonly withinMs: number } {
  return {
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof subject === 'string' ? { subject } : {}),
    ...(typeof after === 'number' ? { after } : {}),
    withinMs: typeof seconds === 'number' ? seconds * 1_000 : MAIL_WAIT_MS,
  };
}

async function waited(
  mailbox: Mailbox,
  wish: MailWish & { readonly withinMs: number },
  signal: AbortSignal,
): Promise<MailToolAnswer> {
  const mail = await mailbox.wait(wish, signal);
  return mail === null ? { text: `No such mail came within ${wish.withinMs / 1_000} seconds.` } : shown(mail);
}

async function read(mailbox: Mailbox, number: number): Promise<MailToolAnswer> {
  const mail = await mailbox.read(number);
  return mail === null ? { text: `There is no mail ${number}.` } : shown(mail);
}

/** Returns a mail as text. Its body comes last, because a long answer is cut at its end. */
function shown({ number, from, fromName, subject, text, links, codes, attachments }: Mail): MailToolAnswer {
  const lines = [
    `From: ${fromName === '' ? from : `${fromName} <${from}>`}`,
    `Subject: ${subject}`,
    ...(codes.length === 0 ? [] : [`Codes: ${codes.join(', ')}`]),
    ...links.slice(0, LINKS_MAX).map((link) => `Link: ${link.text} -> ${link.url}`),
    ...attachments.map(({ name, contentType, size }) => `File (not kept): ${name}, ${contentType}, ${size} bytes`),
    '',
    text,
  ];
  return { text: `Mail ${number} says:`, data: lines.join('\n') };
}
