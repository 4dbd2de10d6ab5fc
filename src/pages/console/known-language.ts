/*
 * Runs before everything else of the page: uPlot formats with `navigator.language` when it is loaded, and a Chromium under a POSIX locale has
 * `en-US@posix` there, which is no language tag.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' });
}
