import { type AgentFile, FileError } from '#agent/files.ts';
import { actOnFiles } from '../act-on-files.ts';
import { fitting } from '../page/controls.ts';
import { getWords } from '../page/words.ts';
import { shortened } from '../step-summary.ts';
import { called, pick } from './pick.ts';
import { getNames } from './visit.ts';
import { cannot, type Walker } from './walker.ts';

/** Uploads a file of the workspace to the only file input of the page. */
export async function upload(walker: Walker, name: string): Promise<void> {
  await actOnFiles({ kind: 'upload', name, field: null }, walker.world, {});
  walker.done.push({ kind: 'upload', name, field: null });
  await walker.look();
  await walker.world.step({
    summary: `Put the file ${shortened(name)} into the page`,
    action: { kind: 'upload', name },
    url: walker.url(),
    usage: { inputTokens: 0, outputTokens: 0 },
  });
}

/** Downloads a file by its name and verifies that it was stored. */
export async function download(walker: Walker, what: string): Promise<void> {
  const before = await keptSoFar(walker);
  const words = getNames(what);
  const node = await walker.lookFor((page) => {
    const roles = ['link', 'button'];
    const fits = fitting(page, { words: [...words, ...getWords('download')], roles, useContext: false });
    return pick(walker, fits.length > 0 ? fits : fitting(page, { words, roles, useContext: false }), what);
  });
  if (node === null) throw cannot(`There is no "${shortened(what)}" to download on the page.`);
  const ref = node.ref ?? '';
  let name = '';
  await walker.act({
    summary: `Downloaded "${shortened(called(node))}"`,
    action: { kind: 'download', name: called(node) },
    run: async (tab) => {
      name = await tab.elements.download(ref);
    },
    ref,
  });
  if (before === null) {
    walker.said = `The file ${shortened(name)} was downloaded. This session has no workspace that could keep it.`;
    return;
  }
  const [file] = (await walker.world.files.downloads()).slice(before.length);
  if (file === undefined) throw new FileError(`No file came of the download "${shortened(what)}".`);
  walker.said = `The file ${shortened(file.path)} was downloaded, ${file.size} bytes.`;
}

/** Returns the files downloaded in this task; null without a workspace. */
async function keptSoFar({ world }: Walker): Promise<readonly AgentFile[] | null> {
  try {
    return await world.files.downloads();
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
