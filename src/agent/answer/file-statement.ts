import { literal } from './literal.ts';
import type { FileAction } from './plan.ts';
import { unreachable } from './unreachable.ts';

/** What a script with statements of files imports. */
export const FILE_IMPORT = "import { readFile, readdir, writeFile } from 'node:fs/promises';";

/** What a script has read last, as text. */
const LATEST =
  "[Object.values(output).at(-1)].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\\n')";

/** Statements that do the same with the files of the folder in which the script runs. */
export function fileStatement(action: FileAction): string[] {
  switch (action.kind) {
    case 'readFile':
      return action.name === null
        ? ['// The files that were attached to the task stand beside this script under names of your own.']
        : [`output.file = await readFile(${literal(action.name)}, 'utf8');`];
    case 'listFiles':
      return ["output.files = await readdir('.', { recursive: true });"];
    case 'writeFile':
      return [`await writeFile(${literal(action.name)}, ${action.text === null ? LATEST : literal(action.text)});`];
    case 'upload':
      return [`await page.${inputOf(action.field)}.setInputFiles(${literal(action.name)});`];
    case 'download':
      return downloadStatement(literal(action.name));
    default:
      return unreachable(action);
  }
}

function inputOf(field: string | null): string {
  return field === null ? "locator('input[type=file]')" : `getByLabel(${literal(field)})`;
}

function downloadStatement(name: string): string[] {
  return [
    '{',
    "  const downloading = page.waitForEvent('download');",
    `  await page.getByRole('link', { name: ${name} }).or(page.getByRole('button', { name: ${name} })).first().click();`,
    '  const download = await downloading;',
    '  await download.saveAs(download.suggestedFilename());',
    '}',
  ];
}
