import { type JsonObject, isJsonObject, textOf } from '../../conformance/core/json.ts';
import type { Operation } from '../../conformance/core/operations.ts';
import { randomUuid } from '../../conformance/core/random.ts';
import { valueAt } from '../../conformance/core/schemas.ts';
import type { Draw } from '../draw.ts';
import { knownParameter, knownValue } from './known-value.ts';
import { oddText } from './odd-texts.ts';
import { documents, resolveSchema, schemaValue } from './schema-value.ts';

/** A path with its query, and whether it still belongs to its operation. */
export interface CallPath {
  readonly path: string;
  readonly isOperation: boolean;
}

const oddShare = 0.12;
/** Maximum length of a path segment. Longer ones are rejected before routing, which raw requests try. */
const stepMax = 5000;
const brokenShare = 0.03;

/** Returns a path of an operation: usually of existing records, else with unusual parameters, or an unknown path. */
export function callPath(draw: Draw, operation: Operation): CallPath {
  const { generation, path: template } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    draw.chance(oddShare) ? oddParameter(draw) : knownParameter({ draw, generation }, { name, path: template }),
  );
  const whole = `/api/${generation}${path}`;
  const query = getQuery(draw, operation);
  if (!draw.chance(brokenShare)) return { path: whole + query, isOperation: true };
  return { path: brokenPath(draw, whole) + query, isOperation: false };
}

/** Returns an unusual value escaped as one path segment. */
function oddParameter(draw: Draw): string {
  const ways: readonly (() => string)[] = [
    () => randomUuid(draw.random),
    () => randomUuid(draw.random).toUpperCase(),
    () => encodeURIComponent(oddText(draw).toWellFormed()).slice(0, stepMax) || '-',
    () => draw.of(['%', '%zz', '%ff%fe', '%00', '..%2f..%2f', '%252e', '0', '-1', '9007199254740993', 'null', 'a;b=c']),
    () => '',
  ];
  return draw.of(ways)();
}

function brokenPath(draw: Draw, path: string): string {
  const ways: readonly (() => string)[] = [
    () => `${path}/`,
    () => `${path}/more`,
    () => `/${path}`,
    () => path.replace('/api/', '/API/'),
    () => path.replace('/v', '//v'),
    () => path.replace('/v', '/../v'),
    () => path.replace(/\/v[234]/, '/v9'),
    () => path.split('/').slice(0, -1).join('/') || '/',
    () => `${path};a=b`,
    () => `${path}\\..`,
    () => `/${'a/'.repeat(500)}`,
    () =>
      draw.of([
        '/',
        '/docs',
        '/healthz',
        '/readyz',
        '/openapi/v4.json',
        '/openapi/v9.json',
        '/favicon.ico',
        '/.git/config',
      ]),
    () =>
      draw.of([
        '/files/',
        '/uploads/',
        '/screenshots/',
        '/recordings/',
        '/downloads/',
        '/task-logs/',
        '/share/',
        '/live/',
      ]) + (oddParameter(draw) || '-'),
    () => `/devtools/browser/${oddParameter(draw) || '-'}/json/version`,
  ];
  return draw.of(ways)();
}

function getQuery(draw: Draw, operation: Operation): string {
  const rows = getParameters(operation);
  const parts = rows.filter(() => draw.chance(0.4)).map((row) => oneOf(draw, operation, row));
  if (draw.chance(0.08))
    parts.push(
      `${encodeURIComponent(oddText(draw).toWellFormed())}=${encodeURIComponent(oddText(draw).toWellFormed())}`.slice(
        0,
        2000,
      ),
    );
  if (draw.chance(0.05)) parts.push(...parts.slice(0, 1));
  if (draw.chance(0.02)) parts.push(draw.of(['&&&', '=', '%', '%zz=%zz', 'a[]=1&a[b]=2', '?x', 'limit', '+=+']));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function oneOf(draw: Draw, { generation, path }: Operation, { name, schema }: Parameter): string {
  const isFile = name === 'path' && path.endsWith('/files');
  const wanted = isFile
    ? draw.of(['a.txt', 'uploads/a.txt', 'b.txt', 'gone.txt'])
    : (knownValue({ draw, generation }, name) ?? schemaValue({ draw, generation }, schema));
  const value = draw.chance(0.2) ? oddText(draw) : typeof wanted === 'string' ? wanted : JSON.stringify(wanted);
  // A placeholder of an id or cursor stays unescaped.
  const text = value.startsWith('@{') ? value : encodeURIComponent(value.toWellFormed()).slice(0, 3000);
  return `${name}=${text}`;
}

interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Returns the query parameters of an operation with their schemas. */
function getParameters({ generation, path, method }: Operation): Parameter[] {
  const listed = valueAt(documents[generation], ['paths', path, method.toLowerCase(), 'parameters']);
  const rows = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
  return rows
    .map((row) => resolveSchema(generation, row))
    .filter((row) => row['in'] === 'query')
    .map((row) => ({ name: textOf(row['name']), schema: isJsonObject(row['schema']) ? row['schema'] : {} }));
}
