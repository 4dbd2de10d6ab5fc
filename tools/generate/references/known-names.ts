import type { JsonObject } from '#lib/json.ts';
import type { Version } from '../bundle.ts';
import { type OperationNames, documentOperations, enumeration, memberNames } from './documents.ts';
import { placesIn } from './places.ts';
import browserProtocol from 'devtools-protocol/json/browser_protocol.json' with { type: 'json' };
import javascriptProtocol from 'devtools-protocol/json/js_protocol.json' with { type: 'json' };

/** Data files of spec/, each by its name without extension. */
export interface SpecTables {
  readonly rules: ReadonlyMap<string, JsonObject>;
  readonly requirements: ReadonlyMap<string, JsonObject>;
  readonly sets: ReadonlyMap<string, JsonObject>;
}

/** Names that rows of tables may have or refer to. */
export interface KnownNames {
  /** Returns the rule table with a name; an empty table for an unknown name. */
  readonly table: (name: string) => JsonObject;
  /** Returns the strings of a rule table whose paths match a pattern of `placesIn`. */
  readonly rule: (table: string, pattern: string) => readonly string[];
  readonly requirements: readonly string[];
  readonly operations: readonly OperationNames[];
  /** Names of the members of all schemas. */
  readonly properties: readonly string[];
  /** Names of the Chrome DevTools Protocol that tables may refer to. */
  readonly cdp: ProtocolNames;
  /** Returns the names of the schemas of a generation. */
  readonly schemas: (version: string) => readonly string[];
  /** Returns the members of a schema of a generation. */
  readonly members: (version: string, schema: string) => readonly string[];
  /** Returns the values of an enumerated schema of a generation. */
  readonly values: (version: string, schema: string) => readonly string[];
  /**
   * Members of requests to model providers that accept only listed words: the path of each member, with these words.
   */
  readonly words: readonly { readonly place: string; readonly words: readonly string[] }[];
  /** Names of the files of spec/shared/responses. */
  readonly sharedResponses: readonly string[];
  /** Numbers of the files of docs/decisions. */
  readonly decisions: readonly string[];
  /** Names of the dependencies and optional dependencies of package.json. */
  readonly packages: readonly string[];
}

/** Sources of the names. */
export interface NameSources {
  readonly tables: SpecTables;
  readonly documents: Readonly<Record<Version, JsonObject>>;
  readonly sharedResponses: readonly string[];
  readonly decisions: readonly string[];
  readonly packages: readonly string[];
}

/** Collects the names that tables, documents and the other sources define. */
export function knownNames({ tables, documents, ...listed }: NameSources): KnownNames {
  const documentsByVersion = new Map<string, JsonObject>(Object.entries(documents));
  const component = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
  const table = (name: string): JsonObject => tables.rules.get(name) ?? {};
  const rule = (name: string, pattern: string): string[] => placesIn(table(name), pattern).map(({ word }) => word);
  return {
    ...listed,
    table,
    rule,
    words: placesIn(table('provider-requests'), 'families.*.words.~').map(({ word, rows: [row] }) => ({
      place: word,
      words: placesIn(row ?? {}, '*.*')
        .filter(({ path: [member] }) => member === word)
        .map((place) => place.word),
    })),
    requirements: [...tables.requirements.values()].flatMap((file) =>
      ['requirements.*.id', 'laws.*.id'].flatMap((pattern) => placesIn(file, pattern).map(({ word }) => word)),
    ),
    operations: Object.entries(documents).flatMap(([version, document]) => documentOperations(version, document)),
    schemas: (version) =>
      placesIn(documentsByVersion.get(version) ?? {}, 'components.schemas.~').map(({ word }) => word),
    members: (version, schema) => memberNames(documentsByVersion.get(version) ?? {}, component(schema)),
    properties: Object.values(documents).flatMap((document) =>
      placesIn(document, 'components.schemas.~').flatMap(({ word }) => memberNames(document, component(word))),
    ),
    cdp: protocolNames(),
    values: (version, schema) => enumeration(documentsByVersion.get(version) ?? {}, component(schema)),
  };
}

/** Names of the Chrome DevTools Protocol. */
export interface ProtocolNames {
  readonly domains: readonly string[];
  /**
   * Parameters of each command, by the name of the command, such as `Page.navigate`. An object parameter is followed by
   * its members, such as `clip.width`.
   */
  readonly commands: ReadonlyMap<string, readonly string[]>;
}

interface Property {
  readonly name: string;
  readonly $ref?: string;
  readonly properties?: readonly Property[];
}

interface Domain {
  readonly domain: string;
  readonly types?: readonly { readonly id: string; readonly properties?: readonly Property[] }[];
  readonly commands: readonly { readonly name: string; readonly parameters?: readonly Property[] }[];
}

/** Names that browsers still accept, although the published protocol no longer contains them. */
const dropped: ProtocolNames = {
  domains: ['FindInPage'],
  commands: new Map([
    ['Network.continueInterceptedRequest', ['url']],
    ['Page.handleFileChooser', ['files']],
  ]),
};

/**
 * Returns the names of the published Chrome DevTools Protocol, and the names in `dropped`, which browsers still accept.
 */
function protocolNames(): ProtocolNames {
  const domains: readonly Domain[] = [...browserProtocol.domains, ...javascriptProtocol.domains];
  const types = new Map(
    domains.flatMap(({ domain, types: rows = [] }) =>
      rows.map(({ id, properties = [] }) => [`${domain}.${id}`, properties] as const),
    ),
  );
  const commands = domains.flatMap(({ domain, commands: rows }) =>
    rows.map(({ name, parameters = [] }): [string, string[]] => [
      `${domain}.${name}`,
      parameters.flatMap((parameter) => [parameter.name, ...inner(types, domain, parameter)]),
    ]),
  );
  return {
    domains: [...domains.map(({ domain }) => domain), ...dropped.domains],
    commands: new Map([...commands, ...dropped.commands]),
  };
}

function inner(
  types: ReadonlyMap<string, readonly Property[]>,
  domain: string,
  { name, $ref, properties }: Property,
): string[] {
  const type = $ref?.includes('.') === true ? $ref : `${domain}.${$ref ?? ''}`;
  return (properties ?? types.get(type) ?? []).map((member) => `${name}.${member.name}`);
}
