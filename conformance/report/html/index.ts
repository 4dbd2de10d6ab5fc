export { renderHtml } from './render-html.ts';
