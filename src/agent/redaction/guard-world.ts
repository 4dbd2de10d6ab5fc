import type { AgentWorld } from '../agent.ts';
import type { AgentFile, AgentFiles } from '../files.ts';
import type { Mail, Mailbox, MailSummary } from '../mailbox.ts';
import type { MeteredModel, ModelMessage, ModelPart, ModelRequest } from '../model/model-call.ts';
import { guardTab, shownLinks, type TabGuard, withValues } from './guard-tab.ts';
import { type Redactor, safelyBy } from './redactor.ts';

/**
 * Creates a world in which an agent can type secrets without reading their values; recorded steps contain no values
 * either.
 */
export function guardWorld(world: AgentWorld, guard: TabGuard): AgentWorld {
  const { redactor } = guard;
  return {
    ...world,
    tab: async () => guardTab(await world.tab(), guard),
    files: guardFiles(world.files, guard),
    mailbox: world.mailbox === null ? null : guardMailbox(world.mailbox, redactor),
    model: world.model === null ? null : guardModel(world.model, redactor),
    step: async (step) =>
      world.step({
        ...step,
        summary: await redactor.paced(step.summary),
        action: await redactor.paced(step.action),
        url: await redactor.paced(step.url),
      }),
  };
}

/** Guards files: paths and texts show placeholders in place of secret values. An upload sends the original bytes. */
function guardFiles(files: AgentFiles, { secrets, redactor }: Pick<TabGuard, 'secrets' | 'redactor'>): AgentFiles {
  const safely = safelyBy(redactor);
  const shown = <File extends AgentFile>(file: File): File => ({ ...file, path: redactor.text(file.path) });
  const all = async (look: () => Promise<readonly AgentFile[]>): Promise<readonly AgentFile[]> =>
    (await safely(look)).map(shown);
  return {
    list: () => all(() => files.list()),
    attached: () => all(() => files.attached()),
    downloads: () => all(() => files.downloads()),
    read: async (name) => shown(await safely(() => files.read(withValues(name, secrets)))),
    async readText(name) {
      const file = await safely(() => files.readText(withValues(name, secrets)));
      return shown({ ...file, text: await redactor.paced(file.text) });
    },
    write: async (path, text) => shown(await safely(() => files.write(path, text))),
  };
}

/** Guards a mailbox: mails show placeholders in place of secret values. */
export function guardMailbox(mailbox: Mailbox, redactor: Redactor): Mailbox {
  const text = (given: string): string => redactor.text(given);
  const summary = <Shown extends MailSummary>(mail: Shown): Shown => ({
    ...mail,
    from: text(mail.from),
    fromName: text(mail.fromName),
    subject: text(mail.subject),
  });
  const whole = async (mail: Mail | null): Promise<Mail | null> =>
    mail === null
      ? null
      : {
          ...summary(mail),
          text: await redactor.paced(mail.text),
          links: await shownLinks(mail.links, redactor),
          codes: mail.codes.map(text),
          attachments: mail.attachments.map((file) => ({ ...file, name: text(file.name) })),
        };
  return {
    address: mailbox.address,
    list: async () => (await mailbox.list()).map(summary),
    wait: async (wish, signal) => whole(await mailbox.wait(wish, signal)),
    read: async (number) => whole(await mailbox.read(number)),
  };
}

/** Guards a model: requests contain no secret values. The model's own earlier replies are sent unchanged. */
export function guardModel(model: MeteredModel, redactor: Redactor): MeteredModel {
  return {
    seesImages: model.seesImages,
    hasNativeOutput: model.hasNativeOutput,
    call: async (request) => model.call(await withoutValues(request, redactor)),
  };
}

async function withoutValues(request: ModelRequest, redactor: Redactor): Promise<ModelRequest> {
  const { system, messages, outputSchema } = request;
  return {
    ...request,
    system: await redactor.paced(system),
    messages: await inOrder(messages, (message) => messageWithout(message, redactor)),
    outputSchema: await redactor.paced(outputSchema),
  };
}

async function messageWithout(message: ModelMessage, redactor: Redactor): Promise<ModelMessage> {
  const shown = (parts: readonly ModelPart[]): Promise<ModelPart[]> =>
    inOrder(parts, async (part) =>
      part.kind === 'text' ? { kind: 'text', text: await redactor.paced(part.text) } : part,
    );
  if (message.role === 'user') return { role: 'user', parts: await shown(message.parts) };
  if (message.role === 'model') return message;
  const results = await inOrder(message.results, async (result) => ({ ...result, parts: await shown(result.parts) }));
  return { role: 'tools', results };
}

/** Maps values one after another, so that the redactor's pauses for other work take effect. */
async function inOrder<From, To>(values: readonly From[], map: (value: From) => Promise<To>): Promise<To[]> {
  const mapped: To[] = [];
  for (const value of values) mapped.push(await map(value));
  return mapped;
}
