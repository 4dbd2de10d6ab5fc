import type { Draw } from '../draw.ts';
import { type LoopScript, loopModel, scriptGoal } from './traced-model.ts';

/** A task that the proof interrupts. */
export interface Work {
  /** Name of the kind of work, such as `planner: click`. */
  readonly kind: string;
  readonly task: string;
  readonly model: string;
}

/** Model of tasks that the offline planner executes. */
export const plannerModel = 'gpt-5.6-luna';

/**
 * Generates a task to interrupt: instructions for the offline planner, or a script of tool calls for the agent loop.
 */
export function drawWork(draw: Draw, origin: string, run: string): Work {
  const at = `${origin}/${run}`;
  const ms = draw.between(0, 2_500);
  return draw.chance(0.5) ? planned(draw, at, ms) : looped(draw, { at, ms, run });
}

function planned(draw: Draw, at: string, ms: number): Work {
  const work = `Open ${at}/work?ms=${ms % 400}`;
  const [kind, task] = draw.of([
    ['navigation', `Open ${at}/slow?ms=${ms}`],
    ['redirects', `Open ${at}/hop5?ms=${Math.round(ms / 5)}`],
    ['navigations', `Open ${at}/slow?ms=${ms % 300}, open ${at}/slow?ms=${ms} and tell me the title`],
    ['click', `${work} and click 'Leave'`],
    ['click', `${work} and click 'Hop'`],
    ['new tab', `${work} and click 'Window'`],
    ['dialog', `${work} and click 'Ask'`],
    ['dialog', `${work} and click 'Confirm'`],
    ['form', `${work}, type 'pears' into 'Name' and press Enter`],
    ['form', `${work} and click 'Send'`],
    ['typing', `${work}, ${Array.from({ length: 8 }, (_, at_) => `type 'pears ${at_}' into 'Name'`).join(', ')}`],
    ['busy page', `${work} and click 'Busy'`],
    ['wait for an element', `${work} and click 'Nowhere'`],
    ['wait', `${work} and wait 20 seconds`],
    ['download', `${work} and download 'File'`],
    ['mail', `Wait for the mail from no-sender@example.com`],
  ] as const);
  return { kind: `planner: ${kind}`, task, model: plannerModel };
}

interface LoopPlace {
  readonly at: string;
  readonly ms: number;
  readonly run: string;
}

function looped(draw: Draw, { at, ms, run }: LoopPlace): Work {
  const open = { name: 'navigate', input: { url: `${at}/work?ms=${ms % 400}` } };
  const click = (name: string): LoopScript['calls'][number] => ({ name: 'click', input: { ref: `<ref:${name}>` } });
  const program = `await page.goto('${at}/work?ms=100'); for (let n = 0; n < 9; n += 1) await page.goto('${at}/slow?ms=${ms}');`;
  const [kind, calls] = draw.of<readonly [string, LoopScript['calls']]>([
    ['provider', [open, open, open, open]],
    ['navigation', [{ name: 'navigate', input: { url: `${at}/slow?ms=${ms}` } }]],
    ['click', [open, click('Leave')]],
    ['new tab', [open, click('Window')]],
    ['dialog', [open, { name: 'answer_dialog', input: { accept: 'true' } }, click('Confirm')]],
    ['typing', [open, { name: 'type', input: { ref: '<ref:Name>', text: 'pears' } }, click('Send')]],
    ['key', [open, { name: 'press_key', input: { key: 'Control+A', ref: '<ref:Name>' } }, click('Hop')]],
    ['wait for a text', [open, { name: 'wait_for_text', input: { text: 'never' } }]],
    ['wait', [open, { name: 'wait', input: { seconds: 20 } }]],
    ['download', [open, { name: 'download', input: { ref: '<ref:File>' } }]],
    ['program', [{ name: 'run_code', input: { source: program } }]],
    ['tabs', [open, { name: 'open_tab', input: { url: `${at}/slow?ms=${ms}` } }, { name: 'back', input: {} }]],
    ['mail', [{ name: 'wait_for_mail', input: { seconds: 60 } }]],
  ]);
  const thinkMs = draw.below(kind === 'provider' ? 2_000 : 150);
  return { kind: `loop: ${kind}`, task: scriptGoal({ run, calls, thinkMs }), model: loopModel };
}
