import { type Deed, isFileAction, isMailAction } from './plan.ts';
import { FILE_IMPORT, fileStatement } from './file-statement.ts';
import { mailStatement } from './mail-statement.ts';
import { literal } from './literal.ts';
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
export function writeScript(actions: readonly Deed[]): string {
  const lines = actions.flatMap(statement).map((line) => `  ${line}`);
  return [
    ...(actions.some(isFileAction) ? [FILE_IMPORT] : []),
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

function statement(action: Deed): string[] {
  if (isFileAction(action)) return fileStatement(action);
  if (isMailAction(action)) return mailStatement(action);
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
    case 'select':
      return [`await page.getByLabel(${literal(action.field)}).first().selectOption(${literal(action.option)});`];
    case 'check':
      return [`await page.getByLabel(${literal(action.name)}).first().setChecked(${String(action.isOn)});`];
    case 'press':
      return [`await page.keyboard.press(${literal(action.key)});`];
    case 'wait':
      return [`await page.waitForTimeout(${action.seconds * 1_000});`];
    case 'read':
      return [`output.${action.what} = ${READERS[action.what]};`];
    case 'say':
      return [`output.text = ${literal(action.text)};`];
    default:
      return unreachable(action);
  }
}
