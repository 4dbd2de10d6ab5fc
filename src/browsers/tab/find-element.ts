import type { Locator, Page } from 'playwright-core';
import { stepTimeoutMs } from './step-runner.ts';

/** Roles of elements that a click usually targets. */
const clickableRoles = [
  'link',
  'button',
  'checkbox',
  'radio',
  'tab',
  'menuitem',
  'option',
  'switch',
  'treeitem',
  'gridcell',
] as const;

const fieldRoles = ['textbox', 'searchbox', 'combobox', 'spinbutton'] as const;

/**
 * Returns the visible element to click. Searches for an exact accessible name, else for a name that contains the words,
 * else for any text. Rejects when several elements match, unless all lead to the same URL. Rejects when no match is
 * visible within 15 s.
 */
export async function findClickable(page: Page, name: string, signal: AbortSignal): Promise<Locator> {
  const byRole = (exact: boolean): Locator =>
    joinLocators(clickableRoles.map((role) => page.getByRole(role, { name, exact })));
  return onlyVisible([byRole(true), byRole(false), page.getByText(name, { exact: true }), page.getByText(name)], {
    distinct: distinctTargets,
    signal,
  });
}

/**
 * Returns the visible field to fill. Searches for an exact label, placeholder or accessible name, else for one that
 * contains the words, else for the attribute `name`. Rejects when several fields match, and when no match is visible
 * within 15 s. If a label belongs to no field, returns the first labelled element, which cannot be filled.
 */
export async function findField(page: Page, field: string, signal: AbortSignal): Promise<Locator> {
  const by = (exact: boolean): Locator =>
    joinLocators([
      ...fieldRoles.map((role) => page.getByRole(role, { name: field, exact })),
      page.getByLabel(field, { exact }),
      page.getByPlaceholder(field, { exact }),
    ]);
  return onlyVisible([by(true), by(false), page.locator(`[name=${JSON.stringify(field)}]`)], {
    distinct: distinctFields,
    signal,
  });
}

/**
 * Returns the first file input with `field` as its label or `name`. Null selects the only file input of the page, and
 * rejects if the page has several. Rejects when no file input appears within 15 s. The input need not be visible,
 * because pages hide file inputs behind buttons.
 */
export async function findFileInput(page: Page, field: string | null, signal: AbortSignal): Promise<Locator> {
  const inputs = page.locator('input[type=file]');
  const candidates = field === null ? [inputs] : namedInputs(page, inputs, field);
  await joinLocators(candidates).first().waitFor({ state: 'attached', timeout: stepTimeoutMs, signal });
  for (const candidate of candidates) {
    const count = await candidate.count();
    if (count > 1 && field === null) throw new Error(`the page has ${count} file inputs: name one of them`);
    if (count > 0) return candidate.first();
  }
  throw new Error('the element went away while it was being looked for');
}

function namedInputs(page: Page, inputs: Locator, field: string): Locator[] {
  return [
    inputs.and(page.getByLabel(field, { exact: true })),
    inputs.and(page.getByLabel(field)),
    inputs.and(page.locator(`[name=${JSON.stringify(field)}]`)),
  ];
}

/**
 * Waits until an element of any candidate is visible. Takes the first candidate with a visible element, and returns
 * this element. Rejects when the candidate has several distinct visible elements, and when none is visible within 15 s.
 */
async function onlyVisible(
  candidates: readonly Locator[],
  { distinct, signal }: { readonly distinct: typeof distinctTargets; readonly signal: AbortSignal },
): Promise<Locator> {
  const visible = candidates.map((candidate) => candidate.filter({ visible: true }));
  await joinLocators(visible).first().waitFor({ timeout: stepTimeoutMs, signal });
  for (const candidate of visible) {
    const [first, ...others] = await candidate.evaluateAll(distinct);
    if (others.length > 0) throw new Error(`the page has ${others.length + 1} that are called so`);
    if (first !== undefined) return candidate.nth(first);
  }
  throw new Error('the element went away while it was being looked for');
}

function joinLocators(locators: readonly Locator[]): Locator {
  return locators.reduce((all, next) => all.or(next));
}

/*
 * These functions run in the page: Playwright sends their source text, so each must be self-contained. They return the
 * indexes of elements that stand for different things.
 */

interface PageElement {
  readonly href?: string;
  closest(selector: string): PageElement | null;
  contains(other: PageElement): boolean;
  matches(selector: string): boolean;
}

/**
 * Returns the indexes of the elements that are different click targets. A cell around a link counts as the link, and
 * several links to one URL count as one. Runs in the page.
 */
function distinctTargets(elements: readonly PageElement[]): number[] {
  const seen = new Set<string>();
  return elements.flatMap((element, place) => {
    if (elements.some((other) => other !== element && element.contains(other))) return [];
    const address = element.closest('a[href]')?.href ?? '';
    if (address !== '' && seen.has(address)) return [];
    seen.add(address);
    return [place];
  });
}

/**
 * Returns the indexes of the elements that are fields to fill. If none is, returns the first index: filling that
 * element fails with an explanation. Runs in the page.
 */
function distinctFields(elements: readonly PageElement[]): number[] {
  const noText = ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'];
  const input = `input${noText.map((type) => `:not([type=${type}])`).join('')}`;
  const filled = `${input}, textarea, select, [contenteditable], [role=textbox], [role=searchbox], [role=combobox]`;
  const places = Array.from(elements.keys());
  const fields = places.filter((place) => elements[place]?.matches(filled) === true);
  return fields.length > 0 ? fields : places.slice(0, 1);
}
