import {
  type PerformedAction,
  type FileAction,
  isFileAction,
  isMailAction,
  type MailAction,
  unreachable,
} from './plan.ts';

const readers = {
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
 * Returns a script that performs the actions with Playwright: an ES module for `node script.mjs` with `playwright`
 * installed. The script prints the values that it reads as JSON.
 */
export function writeScript(actions: readonly PerformedAction[]): string {
  const lines = actions.flatMap(statement).map((line) => `  ${line}`);
  return [
    ...(actions.some(isFileAction) ? [fileImport] : []),
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

function statement(action: PerformedAction): string[] {
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
      return [`output.${action.what} = ${readers[action.what]};`];
    case 'say':
      return [`output.text = ${literal(action.text)};`];
    default:
      return unreachable(action);
  }
}

/**
 * Returns statements for an action on the mailbox. The script reads the mail address, and the link, code or text of a
 * mail, from environment variables such as `MAIL_LINK`.
 */
function mailStatement(action: MailAction): string[] {
  switch (action.kind) {
    case 'mailAddress':
      return [fill(action.field, 'MAIL_ADDRESS')];
    case 'waitForMail':
      return ['// Here a mail was waited for: give what it says as MAIL_LINK, MAIL_CODE or MAIL_TEXT.'];
    case 'mailLink':
      return ["await page.goto(process.env['MAIL_LINK'] ?? '');"];
    case 'mailCode':
      return action.field === null ? ["output.text = process.env['MAIL_CODE'];"] : [fill(action.field, 'MAIL_CODE')];
    case 'readMail':
      return ["output.text = process.env['MAIL_TEXT'];"];
    default:
      return unreachable(action);
  }
}

function fill(field: string, variable: string): string {
  const name = literal(field);
  return `await page.getByLabel(${name}).or(page.getByPlaceholder(${name})).first().fill(process.env['${variable}'] ?? '');`;
}

/** Import statement of a script that uses files. */
const fileImport = "import { readFile, readdir, writeFile } from 'node:fs/promises';";

/** JavaScript expression for the last value read, as text. */
const latest =
  "[Object.values(output).at(-1)].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\\n')";

/** Returns statements for an action on files in the folder of the script. */
function fileStatement(action: FileAction): string[] {
  switch (action.kind) {
    case 'readFile':
      return action.name === null
        ? ['// The files that were attached to the task stand beside this script under names of your own.']
        : [`output.file = await readFile(${literal(action.name)}, 'utf8');`];
    case 'listFiles':
      return ["output.files = await readdir('.', { recursive: true });"];
    case 'writeFile':
      return [`await writeFile(${literal(action.name)}, ${action.text === null ? latest : literal(action.text)});`];
    case 'upload':
      return [`await page.${getInput(action.field)}.setInputFiles(${literal(action.name)});`];
    case 'download':
      return downloadStatement(literal(action.name));
    default:
      return unreachable(action);
  }
}

function getInput(field: string | null): string {
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

/** Returns a JavaScript string literal. Line separators are escaped, because older JavaScript does not accept them. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
