import type { AgentWorld } from '../agent.ts';
import { guardMailbox } from './guard-mailbox.ts';
import { guardModel } from './guard-model.ts';
import { guardTab } from './guard-tab.ts';
import type { TabGuard } from './tab-guard.ts';
import type { AgentFile, AgentFiles } from '../files.ts';
import { withValues } from './placeholder.ts';
import { safelyBy } from './safe-error.ts';

/** A world in which an agent can type secrets and never sees their values; what it books holds none either. */
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

/**
 * Files that show placeholders in place of values: in their paths, and in what they say. A file that is put into a page has its
 * own bytes.
 */
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
