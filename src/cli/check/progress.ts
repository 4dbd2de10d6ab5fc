import { type Progress, type ProgressCounts, type ProgressListener, safeText } from '#conformance/index.ts';

/** The terminal that shows progress. */
export interface ProgressScreen {
  write(text: string): unknown;
  /** Width in characters, which may change during a run; undefined if unknown. */
  columns?: number | undefined;
}

/** Options of {@link createProgressView}. */
export interface ProgressOptions {
  screen: ProgressScreen;
  colour: boolean;
}

/** View of the progress of a run. */
export interface ProgressView {
  listen: ProgressListener;
  /** Removes the progress line and stops the timer. */
  close: () => void;
}

const redrawMs = 200;
const clearLine = '\r\u001B[2K';

/**
 * Creates a view that repeatedly updates one line at the bottom of the terminal. Each finding is printed above this
 * line at once.
 */
export function createProgressView({ screen, colour }: ProgressOptions): ProgressView {
  const driving = new Set<string>();
  let counts: (() => ProgressCounts) | undefined;
  let phase: string | undefined = 'asking the target';
  const paint = (code: number, text: string): string => (colour ? `\u001B[${code}m${text}\u001B[39m` : text);
  const draw = (): void => {
    if (counts === undefined) return;
    // Three columns stay free: a full line, or the echo of ^C after it, would make a terminal scroll.
    const line = formatLine(counts(), phase, [...driving]).slice(0, (screen.columns ?? 80) - 3);
    screen.write(`${clearLine}${line}`);
  };
  const timer = setInterval(draw, redrawMs);
  // The timer must not keep the process alive.
  timer.unref();
  return {
    listen: (event, now) => {
      counts = now;
      if (event.kind === 'scenarioStarted') driving.add(event.name);
      if (event.kind === 'scenarioEnded') driving.delete(event.name);
      if (event.kind !== 'planned') phase = event.kind === 'cleaning' ? 'cleaning up' : undefined;
      const text = formatFinding(event, screen.columns ?? 80);
      if (text !== undefined) screen.write(`${clearLine}${paint(isGrave(event) ? 31 : 33, text)}\n`);
      draw();
    },
    close: () => {
      clearInterval(timer);
      screen.write(clearLine);
    },
  };
}

function formatLine(counts: ProgressCounts, phase: string | undefined, driving: readonly string[]): string {
  const { judged, planned, requests, created, spentUsd, elapsedMs } = counts;
  const parts = [
    `${Math.floor(elapsedMs / 1000)} s`,
    ...(phase === undefined ? [] : [phase]),
    `${judged}/${planned} judged`,
    `${requests} requests`,
    ...(created === 0 ? [] : [`${created} created`]),
    ...(spentUsd === '0' ? [] : [`${spentUsd} USD`]),
    ...driving.slice(0, 1),
    ...(driving.length > 1 ? [`+${driving.length - 1}`] : []),
  ];
  return parts.join(' · ');
}

const found: readonly string[] = ['violation', 'error', 'warning'];

function isGrave(event: Progress): boolean {
  return event.kind === 'judged' && event.verdict !== 'warning';
}

function formatFinding(event: Progress, columns: number): string | undefined {
  if (event.kind !== 'judged' || !found.includes(event.verdict)) return undefined;
  const { verdict, level, id, message = '' } = event;
  const line = safeText(`${verdict.toUpperCase()} ${level} ${id} ${message}`).replaceAll(/\s+/g, ' ');
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
}
