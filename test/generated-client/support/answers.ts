import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';

/** Result of a generated client. */
interface Outcome<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of a successful response. Throws an error with the error body if the response is an error. */
export async function ok<Data>(call: Promise<Outcome<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (data !== undefined && data !== null) return data;
  throw new Error(`${response.url}: found ${response.status} ${JSON.stringify(error)}, expected a success with a body`);
}

/** Expects the status 204 and no error. */
export async function gone(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call;
  expect([response.url, response.status, error]).toEqual([response.url, 204, undefined]);
}

const deadlineMs = 10_000;
const intervalMs = 5;

/** Reads a value again and again until a condition holds, and returns it. Fails after 10 s with the last value. */
export async function until<Read>(read: () => Promise<Read>, holds: (value: Read) => boolean): Promise<Read> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`it did not get there: ${JSON.stringify(value)}`);
    await setTimeout(intervalMs);
  }
}
