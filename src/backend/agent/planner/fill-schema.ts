import { isJsonObject, type JsonObject, type JsonValue } from '#domain/json.ts';
import { type ByName, membersByName } from './facts-by-name.ts';
import { fillString } from './fill-string.ts';
import { narrowSchema } from './narrow-schema.ts';
import { SchemaTooLarge } from './schema-too-large.ts';
import { fits, typeFor } from './schema-types.ts';
import { smallestNumber } from './smallest-number.ts';

/** A value may consist of this many parts; a short schema can ask for any number through references and minItems. */
const PARTS_MAX = 100_000;
const DEPTH_MAX = 64;

/** What a place in the value is filled from. */
interface Place {
  /** Proposed for this place; taken when it fits. */
  readonly proposal: JsonValue | undefined;
  /** Proposals for the members, when this place is an object. */
  readonly members: ByName;
  readonly depth: number;
}

/**
 * A value for a schema, filled from proposals where their type fits and otherwise with the smallest value that the
 * keywords ask for. It knows the common keywords only, so the result must be validated. Throws {@link SchemaTooLarge}.
 */
export function fillSchema(schema: JsonObject, proposal: JsonValue | undefined, members: ByName): JsonValue {
  return new Filler(schema).fill(schema, { proposal, members, depth: 0 });
}

class Filler {
  readonly #root: JsonObject;
  #parts = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  fill(schema: JsonValue | undefined, place: Place): JsonValue {
    this.#parts += 1;
    if (this.#parts > PARTS_MAX || place.depth > DEPTH_MAX) throw new SchemaTooLarge();
    if (!isJsonObject(schema)) return place.proposal ?? null;
    const narrowed = narrowSchema(schema, this.#root, place.proposal);
    if (narrowed !== schema) return this.fill(narrowed, { ...place, depth: place.depth + 1 });
    if ('const' in schema) return schema['const'] ?? null;
    if (Array.isArray(schema['enum'])) return fromEnum(schema['enum'], place.proposal);
    return this.#byType(schema, place);
  }

  #byType(schema: JsonObject, place: Place): JsonValue {
    const { proposal } = place;
    const type = typeFor(schema, proposal);
    if (type === 'object') return this.#object(schema, place);
    if (type === 'array') return this.#array(schema, place);
    if (type === 'string') return fillString(schema, proposal);
    if (fits(type, proposal)) return proposal ?? null;
    if (schema['default'] !== undefined) return schema['default'];
    if (type === 'boolean') return false;
    return type === 'null' ? null : smallestNumber(schema, type === 'integer');
  }

  #object(schema: JsonObject, place: Place): JsonObject {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required'])
      ? schema['required'].filter((name) => typeof name === 'string')
      : [];
    const members = isJsonObject(place.proposal) ? membersByName(place.proposal) : place.members;
    const filled = [...new Set([...Object.keys(properties), ...required])].flatMap((name) => {
      const proposal = members(name);
      if (proposal === undefined && !required.includes(name)) return [];
      return [[name, this.fill(properties[name], { proposal, members, depth: place.depth + 1 })] as const];
    });
    return Object.fromEntries(filled);
  }

  #array(schema: JsonObject, { proposal, members, depth }: Place): JsonValue[] {
    const { items, minItems, maxItems } = schema;
    const most = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY;
    const proposals = Array.isArray(proposal) ? proposal.slice(0, most) : [];
    const missing = Math.max(0, (typeof minItems === 'number' ? minItems : 0) - proposals.length);
    if (missing > PARTS_MAX) throw new SchemaTooLarge();
    const all = [...proposals, ...Array.from({ length: missing }, () => undefined)];
    return all.map((one) => this.fill(items, { proposal: one, members, depth: depth + 1 }));
  }
}

function fromEnum(allowed: readonly JsonValue[], proposal: JsonValue | undefined): JsonValue {
  return allowed.find((one) => one === proposal) ?? allowed[0] ?? null;
}
