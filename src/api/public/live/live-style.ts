import type { Html } from '../html.ts';

/** How a live view looks: a thin bar and the picture below it, light and dark, from a phone to a desktop. */
export const liveStyle: Html = {
  markup: `
  :root {
    color-scheme: light dark;
    --back: light-dark(#eceff2, #0c0e10); --bar: light-dark(#ffffff, #1a1d21); --line: light-dark(#d5dae0, #343a41);
    --text: light-dark(#1a1d21, #eceff2); --soft: light-dark(#505a65, #a9b3bd); --accent: light-dark(#0b57b0, #8fc1ff);
    --cover: light-dark(#eceff2e6, #0c0e10e6);
  }
  * { box-sizing: border-box; }
  [hidden] { display: none !important; }
  html, body { height: 100%; margin: 0; }
  body { display: flex; flex-direction: column; background: var(--back); color: var(--text); font: 14px/1.4 system-ui, sans-serif; }
  header { flex: none; background: var(--bar); border-bottom: 1px solid var(--line); }
  .row { display: flex; flex-wrap: wrap; align-items: center; gap: .375rem .5rem; padding: .375rem .5rem; }
  #navigation { display: flex; gap: .25rem; }
  #go { flex: 1 1 12rem; min-width: 0; display: flex; }
  #address { flex: 1 1 12rem; min-width: 0; border: 0; font: inherit; margin: 0; padding: .3rem .6rem; border-radius: 1rem; background: var(--back);
    color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-height: 2em; }
  .badge { color: var(--soft); font-size: .8125rem; }
  #tools { display: flex; flex-wrap: wrap; gap: .25rem; }
  #tabs { display: flex; gap: .25rem; padding: .375rem .5rem 0; overflow-x: auto; }
  #tabs button { flex: 0 1 12rem; min-width: 5rem; overflow: hidden; text-overflow: ellipsis; text-align: left; }
  #tabs button[aria-pressed=true] { border-color: var(--accent); }
  button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem;
    padding: .3rem .6rem; min-height: 2rem; white-space: nowrap; cursor: pointer; }
  button:hover:enabled { background: var(--back); }
  button:disabled { cursor: default; }
  button[aria-pressed=true] { color: var(--accent); border-color: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  #keyboard { display: none; }
  #stage { flex: 1; min-height: 0; position: relative; display: grid; place-items: center; overflow: hidden; }
  #picture { display: block; touch-action: pinch-zoom; user-select: none; -webkit-user-select: none; -webkit-touch-callout: none; outline-offset: -2px; }
  [data-mode=view] #picture { touch-action: auto; }
  #keys { position: absolute; left: 0; top: 0; width: 1px; height: 1px; padding: 0; border: 0; opacity: 0; resize: none; font-size: 16px; }
  #keys:focus ~ #notice { outline: none; }
  #stage:has(#keys:focus-visible) #picture { outline: 2px solid var(--accent); }
  #way-out { position: absolute; bottom: .5rem; left: 50%; transform: translateX(-50%); margin: 0; padding: .2rem .75rem; border-radius: 1rem;
    background: var(--cover); font-size: .8125rem; white-space: nowrap; pointer-events: none; visibility: hidden; }
  #keys:focus ~ #way-out { visibility: visible; }
  #notice { position: absolute; inset: 0; place-self: stretch; display: grid; place-content: center; justify-items: center; gap: .75rem; padding: 1rem;
    text-align: center; background: var(--cover); font-size: 1rem; }
  #notice p { margin: 0; max-width: 32rem; }
  #dialog, #panel { position: absolute; top: 1rem; width: min(26rem, calc(100% - 2rem)); padding: 1rem; background: var(--bar);
    border: 1px solid var(--line); border-radius: .75rem; box-shadow: 0 8px 32px #0004; }
  #dialog h1, #panel h1 { margin: 0 0 .5rem; font-size: 1rem; }
  #dialog p { margin: 0 0 .75rem; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40vh; overflow-y: auto; }
  #dialog input, #panel textarea { width: 100%; font: inherit; font-size: 16px; padding: .4rem .5rem; margin-bottom: .75rem;
    color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: .5rem; }
  .buttons { display: flex; justify-content: flex-end; gap: .5rem; }
  [type=submit] { background: var(--accent); border-color: var(--accent); color: var(--bar); }
  [type=submit]:hover:enabled { background: var(--accent); filter: brightness(1.1); }
  @media (pointer: coarse) { button { min-height: 2.75rem; } #keyboard { display: inline-block; } #way-out { display: none; } #go #address { font-size: 16px; } }
  @media (max-width: 40rem) {
    #address { flex-basis: 55%; }
    #go { flex-basis: 55%; }
    #tools button { padding: .25rem .5rem; font-size: .8125rem; }
    #stage { place-items: start center; }
  }
`,
};
