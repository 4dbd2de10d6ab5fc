/*
 * Runs before all other modules of the page. uPlot formats with `navigator.language` when it is loaded, but Chromium
 * under a POSIX locale has the invalid value `en-US@posix`.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' });
}
