/**
 * Description and target of each figure. `compare` defines how a measurement of the project and one of the anchor
 * become one number: their `ratio`, their `difference`, or `ours` alone. A target with `isBudget` applies to an idle
 * machine of two cores; all other targets compare measurements of one run. Figures with `onRequest` are measured only
 * when named, because they take minutes.
 */
const goals = {
  'get-session': {
    figure: 'GET a session, 100 connections',
    anchor: 'bare framework, same bytes',
    unit: 'requests/s',
    compare: 'ratio',
    atLeast: 0.6,
  },
  'refused-post': {
    figure: 'refused POST (422), 100 connections',
    anchor: 'bare framework, same bytes',
    unit: 'requests/s',
    compare: 'ratio',
    atLeast: 0.5,
  },
  create: {
    figure: 'create with simulated browser, 100 connections',
    anchor: 'bare framework + one durable insert',
    unit: 'requests/s',
    compare: 'ratio',
    atLeast: 0.6,
  },
  'mock-get': {
    figure: 'GET on the mock, 100 connections',
    anchor: 'prism mock -v silent',
    unit: 'requests/s',
    compare: 'ratio',
    atLeast: 1,
  },
  'mock-post': {
    figure: 'POST on the mock, 100 connections',
    anchor: 'prism mock -v silent',
    unit: 'requests/s',
    compare: 'ratio',
    atLeast: 1,
  },
  'stateful-get': {
    figure: 'GET on the stateful mock, 100 connections',
    anchor: 'prism mock -v silent',
    unit: 'requests/s',
    compare: 'ratio',
    atLeast: 3,
  },
  'stateful-post': {
    figure: 'POST on the stateful mock, 100 connections',
    anchor: 'prism mock -v silent',
    unit: 'requests/s',
    compare: 'ratio',
    atLeast: 1.5,
  },
  start: {
    figure: 'backend start to first answer',
    anchor: 'node + empty framework server',
    unit: 'ms',
    compare: 'difference',
    atMost: 400,
  },
  'free-suite': {
    figure: 'svc check --spend none',
    anchor: 'same requests, bare client',
    unit: 's',
    compare: 'ratio',
    atMost: 2,
  },
  'task-suite': {
    figure: 'svc check --spend task, simulated',
    anchor: null,
    unit: 's',
    compare: 'ours',
    atMost: 30,
    isBudget: true,
  },
  'task-suite-waiting': {
    figure: 'of it waiting for the target, simulated',
    anchor: null,
    unit: 'share',
    compare: 'ours',
    atLeast: 0.8,
  },
  'chromium-suite': {
    figure: 'svc check --spend task, Chromium',
    anchor: null,
    unit: 's',
    compare: 'ours',
    atMost: 120,
    isBudget: true,
  },
  'chromium-suite-waiting': {
    figure: 'of it waiting for the target, Chromium',
    anchor: null,
    unit: 'share',
    compare: 'ours',
    atLeast: 0.8,
  },
  judge: {
    figure: 'svc judge of 10,000 exchanges',
    anchor: 'JSON.parse of the file',
    unit: 'ms',
    compare: 'ratio',
    atMost: 15,
  },
  'requests-per-kill': {
    figure: 'requests per kill, svc check, whole runs',
    anchor: 'the tool that kills most (bench:peers)',
    unit: 'requests',
    compare: 'ratio',
    atMost: 0.05,
  },
  'requests-to-first-kill': {
    figure: 'requests per kill, svc check --max-failures 1',
    anchor: 'the tool that kills most (bench:peers)',
    unit: 'requests',
    compare: 'ratio',
    atMost: 0.05,
  },
  'cold-browser': {
    figure: 'creation of a browser, cold',
    anchor: 'bare start of the same Chromium',
    unit: 'ms',
    compare: 'ratio',
    atMost: 1.1,
  },
  'warm-browser': {
    figure: 'creation of a browser, warm',
    anchor: 'bare start of the same Chromium',
    unit: 'ms',
    compare: 'ratio',
    atMost: 0.1,
  },
  'cdp-trip': {
    figure: 'Browser.getVersion through the gateway',
    anchor: 'the same Chromium, direct',
    unit: 'ms',
    compare: 'ratio',
    atMost: 1.25,
  },
  'targets-trip': {
    figure: 'Target.getTargets through the gateway',
    anchor: 'the same Chromium, direct',
    unit: 'ms',
    compare: 'ratio',
    atMost: 1.25,
  },
  'page-trip': {
    figure: 'Runtime.evaluate through the gateway',
    anchor: 'the same Chromium, direct',
    unit: 'ms',
    compare: 'ratio',
    atMost: 1.25,
  },
  'large-answer': {
    figure: '10 MB evaluate through the gateway',
    anchor: 'the same Chromium, direct',
    unit: 'ms',
    compare: 'ratio',
    atMost: 1.25,
  },
  'relay-cdp-trip': {
    figure: 'Browser.getVersion through a bare relay',
    anchor: 'the same Chromium, direct',
    unit: 'ms',
    compare: 'ratio',
  },
  'relay-targets-trip': {
    figure: 'Target.getTargets through a bare relay',
    anchor: 'the same Chromium, direct',
    unit: 'ms',
    compare: 'ratio',
  },
  'relay-page-trip': {
    figure: 'Runtime.evaluate through a bare relay',
    anchor: 'the same Chromium, direct',
    unit: 'ms',
    compare: 'ratio',
  },
  'live-view': {
    figure: 'live view of 1280x720',
    anchor: "Chromium's own screencast",
    unit: 'pictures/s',
    compare: 'ours',
    atLeast: 20,
  },
  'idle-memory': {
    figure: 'memory of an idle service',
    anchor: 'node + empty framework server',
    unit: 'MiB',
    compare: 'difference',
  },
  'session-memory': {
    figure: 'memory of a living session (simulated)',
    anchor: null,
    unit: 'KiB',
    compare: 'ours',
  },
  'event-memory': {
    figure: 'memory of an event of a living session',
    anchor: null,
    unit: 'KiB',
    compare: 'ours',
  },
  generate: {
    figure: 'npm run generate',
    anchor: null,
    unit: 's',
    compare: 'ours',
    atMost: 5,
    isBudget: true,
  },
  tests: {
    figure: 'npm test',
    anchor: null,
    unit: 's',
    compare: 'ours',
    atMost: 300,
    isBudget: true,
    onRequest: true,
  },
  install: {
    figure: 'npm ci with a warm cache',
    anchor: null,
    unit: 's',
    compare: 'ours',
    atMost: 60,
    isBudget: true,
    onRequest: true,
  },
} as const satisfies Readonly<Record<string, Goal>>;

/** Permanent name of a figure, used on the command line, in the JSON and in the history. */
export type FigureId = keyof typeof goals;

/** Description and target of a figure. `atLeast` and `atMost` are inclusive; a figure without both has no target. */
export interface Goal {
  readonly figure: string;
  /** Name of the program that the figure is compared with; null without a comparison. */
  readonly anchor: string | null;
  readonly unit: 'requests/s' | 'pictures/s' | 'ms' | 's' | 'share' | 'requests' | 'MiB' | 'KiB';
  readonly compare: 'ratio' | 'difference' | 'ours';
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly isBudget?: boolean;
  readonly onRequest?: boolean;
}

/** Names of all figures, in the order of the table. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of a constant's own members
export const figureIds = Object.keys(goals) as readonly FigureId[];

/** Returns the goal of a figure. */
export function getGoal(id: FigureId): Goal {
  return goals[id];
}
