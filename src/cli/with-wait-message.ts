import type { Screen } from './print.ts';

/**
 * Runs work. On a terminal, shows `what` and the elapsed seconds after the first second, in a line that disappears when
 * the work ends. Other streams get no output.
 */
export async function withWaitMessage<Result>(
  what: string,
  work: () => Promise<Result>,
  screen: Screen = process.stderr,
): Promise<Result> {
  if (screen.isTTY !== true) return work();
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    screen.write(`${clearLine}${what} · ${seconds} s`);
  }, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (seconds > 0) screen.write(clearLine);
  }
}

const clearLine = '\r\u001B[2K';
