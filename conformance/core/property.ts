import * as fc from 'fast-check';
import type { CheckContext, Finding } from './check.ts';
import { type CircuitBreaker, type Exchange, breakerReason, createCircuitBreaker, describeAnswer } from './exchange.ts';

/** A property: the response to every generated input satisfies the expectation. */
export interface Property<T> {
  /** Key of the property within its check. */
  cell: string;
  arbitrary: fc.Arbitrary<T>;
  /** Number of generated inputs. @defaultValue `propertyRuns` of the run */
  runs?: number;
  send(input: T): Promise<Exchange>;
  holds(exchange: Exchange): boolean;
  /** The expectation, as text after "expected". */
  expected: string;
}

/**
 * Circuit breaker of each check. All properties of a check use the same breaker, because together they test one
 * requirement.
 */
const brakes = new WeakMap<CheckContext, CircuitBreaker>();

/**
 * Tests a property and judges it once, with the smallest failing input. Ends the check as not run if the circuit
 * breaker opens before an input fails.
 */
export async function expectForAll<T>(t: CheckContext, property: Property<T>): Promise<void> {
  if (t.only?.cell !== undefined && t.only.cell !== property.cell) return;
  const answers = new Map<string, Exchange>();
  const breaker = brakes.get(t) ?? createCircuitBreaker();
  brakes.set(t, breaker);
  let unsent = 0;
  const tried = fc.asyncProperty(property.arbitrary, async (input) => {
    if (breaker.on()) {
      unsent += 1;
      return true;
    }
    const exchange = await property.send(input);
    answers.set(JSON.stringify(input), exchange);
    breaker.note(exchange);
    return property.holds(exchange);
  });
  const details = await fc.check(tried, {
    seed: t.seed,
    numRuns: property.runs ?? t.propertyRuns,
    ...(t.only?.path === undefined ? {} : { path: t.only.path, endOnFailure: true }),
  });
  rethrow(details);
  if (!details.failed && unsent > 0) t.notRun(breakerReason);
  t.expect(!details.failed, createFinding(property, details, answers));
}

function createFinding<T>(
  { cell, expected }: Property<T>,
  details: fc.RunDetails<[T]>,
  answers: ReadonlyMap<string, Exchange>,
): Finding {
  if (!details.failed) return { cell, message: expected };
  const counterexample = JSON.stringify(details.counterexample?.[0]);
  const exchange = answers.get(counterexample);
  const answer = exchange === undefined ? 'failed' : describeAnswer(exchange);
  const message = `${cell} ${answer}; expected ${expected}`;
  return { cell, message, exchange, counterexample, path: details.counterexamplePath ?? '', seed: details.seed };
}

// fast-check wraps `return false` in its own error; an error thrown by `send` must end the check.
function rethrow({ errorInstance }: { errorInstance: unknown }): void {
  if (errorInstance instanceof Error && errorInstance.message !== 'Property failed by returning false')
    throw errorInstance;
}
