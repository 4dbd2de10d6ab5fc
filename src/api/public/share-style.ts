import type { Html } from './html.ts';

/** How the page of a share looks: one column, light and dark, from a phone to a desktop. */
export const shareStyle: Html = {
  markup: `<style>
  :root {
    color-scheme: light dark;
    --back: light-dark(#f6f7f9, #101215); --card: light-dark(#ffffff, #1a1d21); --line: light-dark(#dfe3e8, #2e3339);
    --text: light-dark(#1a1d21, #eceff2); --soft: light-dark(#56606b, #a3adb8);
    --good: light-dark(#0f6b3a, #6fd39b); --bad: light-dark(#a3261d, #ff9d93);
    --good-back: light-dark(#e3f4ea, #14301f); --bad-back: light-dark(#fbe9e7, #3a1b18); --plain-back: light-dark(#eceff2, #2a2f35);
  }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
  main, footer { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
  header { padding: 2.5rem 0 1rem; }
  h1 { margin: .15rem 0; font-size: clamp(1.35rem, 4.5vw, 1.9rem); line-height: 1.25; }
  a { color: inherit; }
  h2 { margin: 0; font-size: 1rem; }
  h3 { margin: 1.5rem 0 .4rem; font-size: .9rem; color: var(--soft); font-weight: 600; }
  .kicker, .meta, footer, .url { color: var(--soft); font-size: .9rem; }
  .kicker, .meta { margin: 0; }
  article, .empty { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 1rem 0; }
  .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; justify-content: space-between; }
  .status { font-size: .85rem; font-weight: 600; padding: .15rem .65rem; border-radius: 1rem; background: var(--plain-back); }
  .good { color: var(--good); background: var(--good-back); }
  .bad { color: var(--bad); background: var(--bad-back); }
  .goal { margin: .6rem 0 0; white-space: pre-wrap; }
  ol { margin: 0; padding-left: 1.6rem; }
  li { padding: .2rem 0; }
  .url { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  pre { margin: 0; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--back);
    font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
  footer { padding-top: .5rem; padding-bottom: 2.5rem; }
</style>`,
};
