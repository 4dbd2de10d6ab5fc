import { createValidators } from '#generated/validators/target.ts';
import { type FileUse, parseYamlFile, schemaProblem } from './data-file.ts';
import { type JsonObject, type JsonValue, isJsonObject } from './json.ts';
import { SuiteError } from './suite-error.ts';
import { defaultProviderStub, defaultTarget, localPolling } from './default-target.ts';
import { fileValidator } from './file-validator.ts';
import { isLocalTarget, type Target } from './target.ts';
import { withoutEnd } from './trim-end.ts';

/** Source of a target. */
export interface TargetSource {
  /** URL of the service without the prefix of a generation. */
  url: string;
  /** Text of `svc-target.yaml`. @defaultValue only the defaults */
  text?: string | undefined;
  /** Name of the target file for messages. @defaultValue svc-target.yaml */
  name?: string | undefined;
}

/**
 * Returns the target of a run: the defaults, overridden by the file. Throws SuiteError `usage` for an invalid URL or
 * file.
 */
export function parseTarget(source: TargetSource): Target {
  const overlay = source.text === undefined ? {} : readOverlay(source.text, source.name ?? 'svc-target.yaml');
  const url = serviceAddress(source.url);
  const defaults = isLocalTarget({ url }) ? { ...defaultTarget, polling: localPolling } : defaultTarget;
  const merged = withStubDefaults(merge({ ...defaults, url }, overlay));
  // The schema has refused every member that Target does not have, and the defaults supply all the others.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has validated the file
  return merged as unknown as Target;
}

// A stub is optional, so its members have no place among the defaults of a target.
function withStubDefaults(target: JsonObject): JsonObject {
  const { providerStub } = target;
  if (!isJsonObject(providerStub)) return target;
  return { ...target, providerStub: { ...structuredClone({ ...defaultProviderStub }), ...providerStub } };
}

function serviceAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol)) {
    throw new SuiteError('usage', {
      found: `the target address "${url}"`,
      expected: 'an http or https address, for example https://api.example.com',
      next: 'pass the address of the service without /api/v3',
    });
  }
  if (address.username !== '' || address.password !== '') {
    throw new SuiteError('usage', {
      found: `a name or a password in the target address (${address.protocol}//...@${address.host})`,
      expected: 'an address without them',
      next: 'leave them out; the key is passed by --api-key or SERVICE_API_KEY, another header by --header',
    });
  }
  if (/[?#]/.test(url)) {
    throw new SuiteError('usage', {
      found: `a query or a fragment in the target address "${url}"`,
      expected: 'an address to which paths can be added, for example https://api.example.com',
      next: 'pass the URL of the service without query and fragment',
    });
  }
  return withoutEnd(url, /\//).replace(/\/api\/v[234]$/, '');
}

/** Description of a target file, for messages. */
export const targetUse: FileUse = {
  expected: 'a target file with the members that `svc init` writes, nothing else',
  next: 'correct it, or write a new one with `svc init`',
};

function readOverlay(text: string, name: string): JsonObject {
  const file = parseYamlFile(text, { ...targetUse, name });
  const value = file.value ?? {};
  const fits = fileValidator(createValidators);
  if (!fits(value) || !isJsonObject(value)) throw file.fault((fits.errors ?? []).map((error) => schemaProblem(error)));
  return value;
}

// An operation is replaced as a whole, so that no default body is sent with another operation.
function merge(base: object, overlay: JsonObject): JsonObject {
  const result: JsonObject = structuredClone({ ...base });
  for (const [name, value] of Object.entries(overlay)) result[name] = mergeMember(result[name], value);
  return result;
}

function mergeMember(base: JsonValue | undefined, value: JsonValue): JsonValue {
  return isJsonObject(base) && isJsonObject(value) && !('method' in value) ? merge(base, value) : value;
}
