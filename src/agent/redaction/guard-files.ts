import type { AgentFile, AgentFiles } from '../files.ts';
import { withValues } from './placeholder.ts';
import { safelyBy } from './safe-error.ts';
import type { TabGuard } from './tab-guard.ts';

/**
 * Files that show placeholders in place of values: in their paths, and in what they say. A file that is put into a page has its
 * own bytes.
 */
export function guardFiles(
  files: AgentFiles,
  { secrets, redactor }: Pick<TabGuard, 'secrets' | 'redactor'>,
): AgentFiles {
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
