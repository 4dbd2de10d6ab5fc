import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '../../agent.ts';
import { IntegrationError, type TaskIntegrations } from '../../integrations/integration.ts';
import { requiredText, type Tool, toolParameters, textIn } from '../tool.ts';
import { mailWaitMs, type Mail, type MailWish, type Mailbox } from '../../mailbox.ts';
import type { ToolDefinition } from '../../model/model-call.ts';

/** Answer of a mailbox tool: `text` is from the service, `data` is untrusted content of mails. */
export interface MailToolAnswer {
  readonly text: string;
  readonly data?: string;
}

/** A tool for the mailbox of a session. Callers of `run` pass only input that conforms to `parameters`. */
export interface MailTool extends ToolDefinition {
  readonly isStep: boolean;
  /** Returns what was done in plain words. */
  readonly summary: (input: JsonObject) => string;
  /** Runs the tool. Rejects with the signal's reason, or for a bug. */
  run(input: JsonObject, at: { readonly world: Pick<AgentWorld, 'mailbox' | 'signal'> }): Promise<MailToolAnswer>;
}

const waitSecondsMax = 600;
const linksMax = 40;
const noMailbox = 'This task has no mailbox.';

/** Tools for the mailbox of a session; offered only when the session has one. */
export const mailTools: readonly MailTool[] = [
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
        seconds: { type: 'integer', minimum: 1, maximum: waitSecondsMax, description: '300 when left out' },
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
  return mailbox === null ? { text: noMailbox } : act(mailbox);
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
    withinMs: typeof seconds === 'number' ? seconds * 1_000 : mailWaitMs,
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
    ...links.slice(0, linksMax).map((link) => `Link: ${link.text} -> ${link.url}`),
    ...attachments.map(({ name, contentType, size }) => `File (not kept): ${name}, ${contentType}, ${size} bytes`),
    '',
    text,
  ];
  return { text: `Mail ${number} says:`, data: lines.join('\n') };
}

const integration: JsonObject = { type: 'string', description: 'Name of the integration' };

/**
 * Tools for integrations, offered only to tasks that have integrations. The model lists the tools of an integration as
 * data and calls them by name. Tools of an integration are not in the tool list of a model request: their descriptions
 * are untrusted, and not every provider accepts their schemas.
 */
export const integrationTools: readonly Tool[] = [
  {
    name: 'list_integration_tools',
    description: 'Lists the tools of an integration with the JSON Schemas of their arguments.',
    parameters: toolParameters({ integration: integration }),
    isStep: true,
    summary: (input) => `Listed the tools of ${requiredText(input, 'integration')}`,
    async run(input, { world }) {
      const tools = await findIntegrations(world).tools(requiredText(input, 'integration'));
      const lines = tools.map(
        ({ name, description, parameters }) => `${name}: ${description}\n  arguments: ${JSON.stringify(parameters)}`,
      );
      return lines.length === 0 ? { text: 'It has no tools.' } : { text: 'Its tools:', data: lines.join('\n') };
    },
  },
  {
    name: 'call_integration',
    description:
      'Calls a tool of an integration. arguments is a JSON object as text that conforms to the schema of the tool.',
    parameters: toolParameters({
      integration: integration,
      tool: { type: 'string', description: 'Name of the tool, as it was listed' },
      arguments: { type: 'string', description: 'Such as {"path":"notes.txt"}; {} for none' },
    }),
    isStep: true,
    summary: (input) => `Called ${requiredText(input, 'tool')} of ${requiredText(input, 'integration')}`,
    async run(input, { world }) {
      const call = { tool: requiredText(input, 'tool'), input: readArguments(requiredText(input, 'arguments')) };
      return {
        text: 'It answered:',
        data: await findIntegrations(world).call(requiredText(input, 'integration'), call),
      };
    },
  },
];

function findIntegrations({ services }: Pick<AgentWorld, 'services'>): TaskIntegrations {
  const integrations = services?.integrations ?? null;
  if (integrations === null) throw new IntegrationError('This task has no integrations.');
  return integrations;
}

function readArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new IntegrationError('Nothing was called: arguments must be a JSON object as text, such as {"path":"a.txt"}.');
}

/** Tool that reads skills; offered only to tasks that have skills. */
export const skillTool: Tool = {
  name: 'read_skill',
  description: 'Reads the instructions of a skill, or one of its files. Read a skill before you do what it describes.',
  parameters: toolParameters(
    {
      name: { type: 'string', description: 'Name of the skill' },
      path: { type: 'string', description: 'A file of the skill; leave it out for its instructions' },
    },
    ['path'],
  ),
  isStep: true,
  summary: (input) => `Read the skill ${requiredText(input, 'name')}`,
  async run(input, { world }) {
    const skills = world.services?.skills ?? null;
    if (skills === null) return { text: 'This task has no skills.' };
    return { text: await skills.read(requiredText(input, 'name'), textIn(input, 'path')) };
  },
};

const taskMax = 10_000;

const text = (description: string): JsonObject => ({ type: 'string', description });

/** Tool that proposes scheduled tasks; offered only when the task allows them. */
export const scheduleTool: Tool = {
  name: 'propose_scheduled_task',
  description:
    'Proposes a task that runs later, once or again and again. A person has to confirm it before it runs. Use it only when the task asks for it.',
  parameters: toolParameters(
    {
      task: text('The goal of the later task, complete in itself'),
      cron: text('Five fields of cron in the time zone of the project, such as 0 9 * * 1-5; leave it out with at'),
      at: text('A single time such as 2027-01-31T09:00 in that time zone; leave it out with cron'),
    },
    ['cron', 'at'],
  ),
  isStep: true,
  summary: () => 'Proposed a scheduled task',
  async run(input, { world: { services } }) {
    const proposals = services?.proposals ?? null;
    if (proposals === null) return { text: 'This task may not propose scheduled tasks.' };
    const [task, cron, at] = [requiredText(input, 'task'), textIn(input, 'cron'), textIn(input, 'at')];
    if (task.trim() === '' || task.length > taskMax)
      return { text: `Nothing was proposed: the task must have 1 to ${taskMax} characters.` };
    if ((cron === undefined) === (at === undefined)) return { text: 'Nothing was proposed: give either cron or at.' };
    const timing = cron === undefined ? { at: at ?? '' } : { cron };
    const proposed = await proposals.propose({ task, ...timing });
    if ('refusal' in proposed) return { text: 'Nothing was proposed:', data: proposed.refusal };
    return {
      text: `Proposed. Once a person has confirmed it, it first runs at ${proposed.nextAt} (time zone ${proposed.timeZone}). Say in your answer that it waits for confirmation in the console.`,
    };
  },
};
