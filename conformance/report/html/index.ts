/**
 * The report as one HTML page. Called by the command line and by library users through conformance/index.ts. Sections are
 * pure functions of the report; every text goes through the template of markup.ts, which escapes it. It adds no fact.
 */
export { renderHtml } from './render-html.ts';
