import { type Detail, type Problem, validationProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { violationDetail } from '#contract/violations.ts';
import type { ExamplesByStatus } from './load-routes.ts';

/**
 * Choices of the header `Prefer: code=404, example=name, dynamic=true, seed=7`, which selects the response of the mock.
 */
export interface Wanted {
  readonly code?: number;
  readonly example?: string;
  readonly dynamic?: boolean;
  readonly seed?: string;
}

/** Returns whether the header `Prefer` selects a documented response by its status (`code`) or name (`example`). */
export function asksForExample(header: string | undefined): boolean {
  if (header === undefined) return false;
  const given = preferences(header);
  return given.has('code') || given.has('example');
}

/**
 * Parses the header `Prefer`. Returns a refusal that lists the allowed values if `code`, `example` or `dynamic` has
 * another value.
 */
export function readPrefer(header: string | undefined, examples: ExamplesByStatus, rules: RuleBook): Wanted | Problem {
  const given = preferences(header ?? '');
  const code = given.get('code');
  const example = given.get('example');
  const dynamic = given.get('dynamic');
  const codes = [...examples.keys()];
  const status =
    code === undefined
      ? codes.find((candidate) => candidate < 300)
      : codes.find((candidate) => String(candidate) === code);
  const names = status === undefined ? [] : (examples.get(status) ?? []);
  const details = [
    ...checkChoice('code', code, codes.map(String)),
    ...(status === undefined ? [] : checkChoice('example', example, names)),
    ...checkChoice('dynamic', dynamic, ['true', 'false']),
  ].map((choice) => detail(choice, rules));
  if (details.length > 0) return validationProblem(details);
  const seed = given.get('seed');
  return {
    ...(code === undefined || status === undefined ? {} : { code: status }),
    ...(example === undefined ? {} : { example }),
    ...(dynamic === undefined ? {} : { dynamic: dynamic === 'true' }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/**
 * Parses preferences such as `a=1, b="2"; c=3` into values by lower-case name. If a name occurs several times, its
 * first value counts (RFC 7240).
 */
function preferences(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of header.split(/[,;]/)) {
    const at = part.indexOf('=');
    const name = (at < 0 ? part : part.slice(0, at)).trim().toLowerCase();
    const value = at < 0 ? '' : part.slice(at + 1).trim();
    if (name !== '' && !found.has(name)) found.set(name, value.replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

interface Choice {
  readonly name: string;
  readonly found: string;
  readonly allowed: readonly string[];
}

function checkChoice(name: string, found: string | undefined, allowed: readonly string[]): readonly Choice[] {
  return found === undefined || allowed.includes(found) ? [] : [{ name, found, allowed }];
}

function detail({ name, found, allowed }: Choice, rules: RuleBook): Detail {
  const violation = {
    keyword: 'enum',
    instancePath: `/Prefer/${name}`,
    params: { allowedValues: [...allowed] },
    data: found,
  };
  return violationDetail('header', violation, rules);
}
