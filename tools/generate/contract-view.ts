import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { expectObject } from './parse.ts';

/**
 * Returns the part of a bundled document that the contract states. Removes links, and the members, keywords and
 * responses whose source is the companion or a decision. A schema component with such a source becomes a schema that
 * accepts any value. By default, the suite judges with this view.
 */
export function contractView(document: JsonObject): JsonObject {
  const view = structuredClone(document);
  for (const path of members(view['paths'])) {
    for (const operation of members(path)) {
      const responses = keepContract(expectObject(operation['responses'], 'responses'));
      // Links are additions of this project: they state nothing about the operations that they connect.
      for (const response of members(responses)) delete response['links'];
      operation['responses'] = responses;
    }
  }
  return expectObject(visit(view), 'document');
}

function members(value: JsonValue | undefined): JsonObject[] {
  return isJsonObject(value) ? Object.values(value).filter(isJsonObject) : [];
}

function visit(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(visit);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(reduce(value)).map(([key, member]) => [key, visit(member)]));
}

/**
 * Returns a copy of one object of the document without the keywords and properties that the contract does not state.
 */
function reduce(node: JsonObject): JsonObject {
  const sources = node['x-keyword-sources'];
  const dropped = isJsonObject(sources) ? Object.keys(sources).filter((keyword) => !isContract(sources[keyword])) : [];
  const kept = Object.fromEntries(Object.entries(node).filter(([keyword]) => !dropped.includes(keyword)));
  if (isJsonObject(kept['properties'])) {
    const properties = keepContract(kept['properties']);
    kept['properties'] = properties;
    if (Array.isArray(kept['required'])) {
      kept['required'] = kept['required'].filter((name) => typeof name === 'string' && name in properties);
    }
  }
  if (isJsonObject(kept['schemas'])) kept['schemas'] = loosen(kept['schemas']);
  return kept;
}

/**
 * Returns the schema components. Each component that the contract does not state becomes a schema that accepts any
 * value, so that references to it still resolve.
 */
function loosen(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isJsonObject(schema) && !isContract(schema['x-source']) ? { 'x-source': schema['x-source'] ?? '' } : schema,
    ]),
  );
}

function keepContract(node: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(node).filter(([, member]) => {
      if (!isJsonObject(member)) return true;
      if ('$ref' in member && !('x-source' in member)) return true;
      return isContract(member['x-source']);
    }),
  );
}

function isContract(source: JsonValue | undefined): boolean {
  return typeof source === 'string' && source.startsWith('contract');
}
