import type { Secret } from '#agent/redaction/secrets.ts';
import { type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { components } from '#generated/v4.ts';
import type { RunPlace } from '#store/queries/runs.ts';
import { type ReadBody, createBodyReader } from '../common/request-context.ts';
import { checkSecrets } from '../common/secrets.ts';

/** Reads the body of a V4 request. */
export const readBody: ReadBody<components['schemas']> = createBodyReader();

const shape = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** Encodes a position in the list of runs or sessions as an opaque cursor. */
export function encodeCursor({ createdAt, id }: RunPlace): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** Returns the position that a cursor encodes, or null for an invalid cursor. */
export function decodeCursor(cursor: string): RunPlace | null {
  const match = shape.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (match === null) return null;
  const [, createdAt = '', id = ''] = match;
  const place = { createdAt: Number(createdAt), id };
  return encodeCursor(place) === cursor ? place : null;
}

type CreateRun = components['schemas']['CreateRun'];

/**
 * Returns the secrets of a run (companion 7.2.2, `secretBindings`). The value of each secret may be typed on its hosts
 * and their subdomains.
 */
export function secretBindings({ secretBindings: bindings }: CreateRun): Secret[] {
  return (bindings ?? []).map(({ alias, source, allowedDomains }) => ({
    name: alias,
    value: source.value,
    domains: allowedDomains.map((host) => `*.${host}`),
  }));
}

/**
 * Returns the refusal of a repeated alias or of values that are too long, which the schema cannot express; else null.
 */
export function checkSecretBindings(body: CreateRun, rules: RuleBook): Problem | null {
  const secrets = secretBindings(body);
  const twice = secrets.findIndex(({ name }, index) => secrets.slice(0, index).some((other) => other.name === name));
  if (twice >= 0) return problem('secret_alias_twice', {}, ['body', 'secretBindings', twice, 'alias']);
  return checkSecrets(secrets, (_secret, index) => ['secretBindings', index, 'source', 'value'], rules);
}
