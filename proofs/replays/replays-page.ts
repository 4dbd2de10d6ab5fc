import { table } from '../../tools/pages/markdown.ts';
import { DRIFTS } from '../../test/replays/drifts.ts';
import type { DrawnCounts } from '../../test/replays/drawn-pages.ts';
import type { Recorded, Replay, ReplayEnd } from './run-replays.ts';

/** What a first run and its replay without drift have shown of a task. */
export interface RecordedTask extends Pick<Recorded, 'task' | 'turns'> {
  readonly tookMs: number;
  /** Why the run left no script; null when it left one. */
  readonly missing: string | null;
}

/** Everything that the proof has found. */
export interface Found {
  /** Elements that scripts used and refused on drawn pages. */
  readonly drawn: DrawnCounts;
  readonly recorded: readonly RecordedTask[];
  readonly replays: readonly Replay[];
}

/** Number of drawn pages, which need no browser. */
export const DRAWN_PAGES = 10_000;

const ENDS: readonly ReplayEnd[] = ['replayed', 'healed', 'healed by the model', 'fell back', 'failed'];

/** Returns the page of evidence; `origin` describes the run. */
export function replaysPage({ drawn, recorded, replays }: Found, origin: string): string {
  const wrong = replays.filter((replay) => replay.wrong.length > 0);
  return `${[
    '# Replays',
    origin,
    'A scripted model worked on each task of `fixtures/tasks` once, in real Chromium; the run left a script. The script was then played on the same site with a fresh memory, whose pages had drifted. The pages report which elements are used, by identities that no page shows. A wrong action is a use of an element that the first run did not use, or a success that is claimed and is not so. The oracle in place of a model recognises a drifted label and judges the end by the state of the site; how a real model heals is unmeasured. After a fall back no agent works, so that only the script is judged.',
    `${recorded.length} tasks were recorded, ${recorded.filter(({ missing }) => missing === null).length} left a script. ${replays.length} replays: ${share(replays)} played or healed, ${wrong.length} with a wrong action.`,
    table(
      ['Drift', 'Replays', ...ENDS.map(capital), 'Model calls', 'Wrong actions'],
      [null, ...DRIFTS].map((drift) =>
        row(
          drift,
          replays.filter((replay) => replay.drift === drift),
        ),
      ),
    ),
    'With `replaced-buttons` the buttons of forms are gone, and others with their names are in their place: the right end is to use none of them.',
    `Beside the sites, ${DRAWN_PAGES} pages were drawn whose controls share names, targets and places, and drifted without a browser. Scripts without a model used ${drawn.used} elements and refused ${drawn.refused}; none of the used ones does something else than the recorded one.`,
    '## Time',
    timeText(recorded, replays),
    ...details('## Wrong actions', wrong, ({ wrong: found }) => found.join('; ')),
    ...details(
      '## Not played',
      replays.filter(({ reason }) => reason !== null),
      ({ reason }) => reason ?? '',
    ),
    ...unrecorded(recorded),
  ].join('\n\n')}\n`;
}

function row(drift: string | null, replays: readonly Replay[]): string[] {
  const count = (end: ReplayEnd): string => String(replays.filter((replay) => replay.end === end).length);
  const calls = replays.reduce((sum, { modelCalls }) => sum + modelCalls, 0);
  const wrong = replays.filter((replay) => replay.wrong.length > 0).length;
  return [drift ?? 'none', String(replays.length), ...ENDS.map(count), String(calls), String(wrong)];
}

function share(replays: readonly Replay[]): string {
  const good = replays.filter(({ end }) => end !== 'fell back' && end !== 'failed').length;
  return `${good} of ${replays.length}`;
}

/** Latencies of a model, in seconds per call, for which the gain is computed. */
const LATENCIES = [0, 1, 3, 5];

function timeText(recorded: readonly RecordedTask[], replays: readonly Replay[]): string {
  const played = new Map(replays.flatMap((one) => (one.drift === null ? [[one.task, one.tookMs] as const] : [])));
  const pairs = recorded.flatMap(({ task, turns, tookMs }) => {
    const again = played.get(task.id);
    return again === undefined ? [] : [{ turns, tookMs, again }];
  });
  const again = pairs.reduce((all, one) => all + one.again, 0);
  const ratios = LATENCIES.map((seconds) => {
    const first = pairs.reduce((all, { tookMs, turns }) => all + tookMs + turns * seconds * 1_000, 0);
    return `${(first / again).toFixed(1)} times with ${seconds} s`;
  });
  const turns = pairs.reduce((all, one) => all + one.turns, 0) / pairs.length;
  return `From the request to the end, with the start of a browser, ${pairs.length} replays without drift took ${(again / pairs.length / 1_000).toFixed(1)} s on average, and their first runs ${turns.toFixed(1)} calls of a model. The scripted model answers at once. The first run takes longer by the factor: ${ratios.join(', ')} for each call of the model. Only the first figure is measured; the others add the time of the calls.`;
}

function details(title: string, replays: readonly Replay[], text: (replay: Replay) => string): string[] {
  if (replays.length === 0) return [];
  const rows = replays.map((replay) => [replay.task, replay.drift ?? 'none', replay.end, cell(text(replay))]);
  return [title, table(['Task', 'Drift', 'End', 'What was found'], rows)];
}

function unrecorded(recorded: readonly RecordedTask[]): string[] {
  const rows = recorded.flatMap(({ task, missing: reason }) => (reason === null ? [] : [[task.id, cell(reason)]]));
  return rows.length === 0 ? [] : ['## No script', table(['Task', 'Reason'], rows)];
}

function cell(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.\d:\d+/g, '(site)')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .slice(0, 220);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
