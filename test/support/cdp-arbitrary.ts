import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '#lib/json.ts';

/** A member or type of the protocol description. */
interface Shape {
  readonly name?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Shape;
  readonly properties?: readonly Shape[];
  readonly optional?: boolean;
}

interface Domain {
  readonly domain: string;
  readonly types?: readonly (Shape & { readonly id: string })[];
  readonly commands?: readonly { readonly name: string; readonly parameters?: readonly Shape[] }[];
}

/**
 * A random CDP command with placeholders such as `<TargetID>`. The test replaces each placeholder by an existing id.
 */
export interface FuzzCommand {
  readonly method: string;
  readonly params: JsonObject;
}

const folder = new URL('json/', import.meta.resolve('devtools-protocol/package.json'));
const domains = ['browser_protocol.json', 'js_protocol.json'].flatMap(
  (name) => (JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { domains: Domain[] }).domains,
);
const types = new Map<string, Shape>(
  domains.flatMap(({ domain, types: own = [] }) => own.map((type) => [`${domain}.${type.id}`, type] as const)),
);

const livingPattern = /(TargetID|FrameId|BrowserContextID|WindowID)$/;
const integers = [0, 1, -1, 100, 65_536, 100_000_000, 2_147_483_647, -2_147_483_648];
const numbers = [0, -1, 0.5, 65_536, 1e9, 1e300, -1e300];
const texts = ['', 'about:blank', 'http://a/', '\u0000', 'a'.repeat(5000)];
const levelsMax = 5;

function ofText(shape: Shape): fc.Arbitrary<JsonValue> {
  return fc.constantFrom(...(shape.enum ?? texts));
}

function ofReference(name: string, levels: number): fc.Arbitrary<JsonValue> {
  const living = livingPattern.exec(name)?.[1];
  if (living !== undefined) return fc.constant(`<${living}>`);
  const type = types.get(name);
  const [domain = ''] = name.split('.');
  return type === undefined || levels === 0 ? fc.constant({}) : createArbitrary(type, domain, levels - 1);
}

function ofObject(properties: readonly Shape[], domain: string, levels: number): fc.Arbitrary<JsonObject> {
  const members = properties.map((shape) => [shape.name ?? '', createArbitrary(shape, domain, levels)] as const);
  const requiredKeys = properties.flatMap(({ name = '', optional }) => (optional === true ? [] : [name]));
  return fc.record<Record<string, JsonValue>, string>(Object.fromEntries(members), { requiredKeys });
}

function createArbitrary(shape: Shape, domain: string, levels: number): fc.Arbitrary<JsonValue> {
  if (shape.$ref !== undefined)
    return ofReference(shape.$ref.includes('.') ? shape.$ref : `${domain}.${shape.$ref}`, levels);
  switch (shape.type ?? 'object') {
    case 'integer':
      return fc.constantFrom(...integers);
    case 'number':
      return fc.constantFrom(...numbers);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(createArbitrary(shape.items ?? {}, domain, levels), { maxLength: 2 });
    case 'string':
      return ofText(shape);
    case 'binary':
      return fc.constant('AAAA');
    default:
      return ofObject(shape.properties ?? [], domain, levels);
  }
}

/** Generates any command of the protocol with values at the limits of its description. */
export const fuzzCommand: fc.Arbitrary<FuzzCommand> = fc.oneof(
  ...domains.flatMap(({ domain, commands = [] }) =>
    commands.map(({ name, parameters = [] }) =>
      fc.record({ method: fc.constant(`${domain}.${name}`), params: ofObject(parameters, domain, levelsMax) }),
    ),
  ),
);
