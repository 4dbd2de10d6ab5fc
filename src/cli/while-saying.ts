import type { Screen } from './print.ts';

/**
 * Does work and, where a person looks on and it takes longer than a second, says what is being waited for and for how long. The line is
 * gone when the work has ended. A program that reads along sees nothing of it.
 */
export async function whileSaying<Result>(
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
