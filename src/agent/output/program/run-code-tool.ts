import { TabError } from '#browsers/tab/tab.ts';
import { toolParameters, requiredText, type Tool } from '../../loop/tool.ts';
import { runProgram } from './run-program.ts';

/** Prompt that describes the programs that the sandbox can run. The same programs run in Node with Playwright. */
export const programDialect = `The program is one JavaScript ES module of at most 64 KiB. It begins with
  import { chromium } from 'playwright';
  const browser = await chromium.launch();
  const page = await browser.newPage();
and prints its result once, as its last act, with console.log(JSON.stringify(result)). It may use only:
  await page.goto(url); page.url(); await page.title(); await page.waitForTimeout(ms); await page.keyboard.press(key)
  page.getByRole(role, { name }), page.getByLabel(name), page.getByPlaceholder(name), page.getByText(name), each with .first(), .or(other),
  await .click(), await .fill(text), await .setInputFiles(fileName)
  await page.locator('body').innerText(); await page.locator('h1,h2,h3,h4,h5,h6').allInnerTexts()
  await page.locator('a[href]').evaluateAll((links) => ...), each with innerText and href
  await page.locator('table').evaluateAll((tables) => ...), each with rows, each with cells, each with innerText
  const downloading = page.waitForEvent('download'); (a click); await downloading
  import { readFile, readdir, writeFile } from 'node:fs/promises' for the files of the workspace, as text.
No other selector, module or global exists: no fetch, no require, no process. A secret is written as its placeholder, never as its value.`;

/**
 * Tool for work on many pages or numbers. The model writes one program, which runs in the sandbox and works with the
 * tab and files of the task.
 */
export const runCodeTool: Tool = {
  name: 'run_code',
  description: `Runs a JavaScript program over the page and the files, for what would take many calls or needs exact arithmetic. ${programDialect}`,
  parameters: toolParameters({ source: { type: 'string' } }),
  isStep: true,
  summary: () => 'Ran a program',
  async run(input, { world }) {
    const result = await runProgram(requiredText(input, 'source'), world);
    if (!result.ok) throw new TabError(result.reason);
    return { text: 'The program printed:', data: JSON.stringify(result.output) };
  },
};
