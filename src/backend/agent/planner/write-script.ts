import type { Action } from './plan.ts';
import { unreachable } from './unreachable.ts';

const READERS = {
  title: 'await page.title()',
  url: 'page.url()',
  headings: "await page.locator('h1,h2,h3,h4,h5,h6').allInnerTexts()",
  links:
    "await page.locator('a[href]').evaluateAll((links) => links.map((link) => ({ text: link.innerText.trim(), url: link.href })))",
  tables:
    "await page.locator('table').evaluateAll((tables) => tables.map((table) => Array.from(table.rows, (row) => Array.from(row.cells, (cell) => cell.innerText.trim()))))",
  text: "await page.locator('body').innerText()",
} as const;

/**
 * A small script that does the same with Playwright: an ES module that runs with `node script.mjs` where
 * `playwright` is installed, and prints what was read as JSON.
 */
export function writeScript(actions: readonly Action[]): string {
  const lines = actions.flatMap(statement).map((line) => `  ${line}`);
  return [
    ...(actions.some(({ kind }) => usesDisk.includes(kind))
      ? ["import { readFile, readdir, writeFile } from 'node:fs/promises';"]
      : []),
    "import { chromium } from 'playwright';",
    '',
    'const browser = await chromium.launch();',
    'try {',
    '  const page = await browser.newPage();',
    '  const output = {};',
    ...lines,
    '  console.log(JSON.stringify(output, null, 2));',
    '} finally {',
    '  await browser.close();',
    '}',
    '',
  ].join('\n');
}

const usesDisk: readonly Action['kind'][] = ['readFile', 'listFiles', 'writeFile'];

/** What the script has read last, as text. */
const LATEST =
  "[Object.values(output).at(-1)].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\\n')";

function inputOf(field: string | null): string {
  return field === null ? "locator('input[type=file]')" : `getByLabel(${literal(field)})`;
}

function statement(action: Action): string[] {
  switch (action.kind) {
    case 'open':
      return [`await page.goto(${literal(action.url)});`];
    case 'click':
      return [
        `await page.getByRole('link', { name: ${literal(action.name)} }).or(page.getByRole('button', { name: ${literal(action.name)} })).first().click();`,
      ];
    case 'type':
      return [
        `await page.getByLabel(${literal(action.field)}).or(page.getByPlaceholder(${literal(action.field)})).first().fill(${literal(action.text)});`,
      ];
    case 'press':
      return [`await page.keyboard.press(${literal(action.key)});`];
    case 'wait':
      return [`await page.waitForTimeout(${action.seconds * 1_000});`];
    case 'read':
      return [`output.${action.what} = ${READERS[action.what]};`];
    case 'readFile':
      return action.name === null
        ? ['// The files that were attached to the task are not named in it.']
        : [`output.file = await readFile(${literal(action.name)}, 'utf8');`];
    case 'listFiles':
      return ["output.files = await readdir('.', { recursive: true });"];
    case 'writeFile':
      return [`await writeFile(${literal(action.name)}, ${action.text === null ? LATEST : literal(action.text)});`];
    case 'upload':
      return [`await page.${inputOf(action.field)}.setInputFiles(${literal(action.name)});`];
    case 'download':
      return [
        "const downloading = page.waitForEvent('download');",
        ...statement({ kind: 'click', name: action.name }),
        'const download = await downloading;',
        'await download.saveAs(download.suggestedFilename());',
      ].map((line, index, lines) => (index === 0 ? `{ ${line}` : index === lines.length - 1 ? `${line} }` : line));
    case 'say':
      return [`output.text = ${literal(action.text)};`];
    default:
      return unreachable(action);
  }
}

/** A JavaScript string literal; line separators are the one place where JSON and older JavaScript differ. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
