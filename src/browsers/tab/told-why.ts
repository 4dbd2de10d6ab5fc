/** An element that cannot be acted on within this time is not going to be: the page is looked at again instead. */
export const ACT_TIMEOUT_MS = 5_000;

/** What Playwright writes down while it waits for an element to be ready, the telling ones first. */
const REASONS: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/intercepts pointer events/, 'another element covers it'],
  [/element is not enabled/, 'it is disabled'],
  [/element is not editable/, 'it cannot be edited'],
  [/element is not visible/, 'it is not visible'],
  [/element is outside of the viewport/, 'it cannot be scrolled into view'],
  [/element is not stable/, 'it does not stop moving'],
  [/did not find some options/, 'it has no such option'],
  [/element was detached|waiting for locator/, 'it has gone from the page'],
];

/** Does something to an element; a time-out becomes an error that says what was in the way. */
export async function toldWhy<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const reason = error instanceof Error && error.name === 'TimeoutError' ? reasonOf(error.message) : undefined;
    if (reason === undefined) throw error;
    // The step's own words come before it; whoever catches it adds them.
    throw new Error(reason, { cause: error });
  }
}

function reasonOf(message: string): string | undefined {
  return REASONS.find(([pattern]) => pattern.test(message))?.[1];
}
