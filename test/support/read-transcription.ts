import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Row = Readonly<Record<string, string>>;

/** One numbered rule of the contract. */
export interface NumberedRule {
  readonly number: number;
  readonly text: string;
}

/** Contents of the files in `fixtures/contract` that tests read, by file name without `.yaml`. */
export interface Transcription {
  readonly enumerations: Readonly<
    Record<'BuAgentSessionStatus' | 'ThinkingLevel' | 'BuModel' | 'ProxyCountryCode', readonly string[]>
  >;
  readonly 'session-fields': {
    readonly session: readonly {
      readonly name: string;
      readonly type: string;
      readonly required: string;
      readonly nullable: boolean;
      readonly default?: unknown;
    }[];
    readonly requiredInEveryResponse: readonly string[];
    readonly meanings: Row;
    readonly decimalString: { readonly fields: readonly string[] };
    readonly validationErrorBody: readonly Row[];
    readonly validationError: readonly Row[];
  };
  readonly 'models-v3': {
    readonly aliases: Row;
    readonly availability: readonly { readonly models: readonly string[]; readonly rule: string }[];
    readonly tierIntents: readonly { readonly models: readonly string[]; readonly intent: string }[];
  };
  readonly 'thinking-levels-v2': LevelTable;
  readonly 'thinking-levels-v3': LevelTable;
  readonly 'model-params-v4': {
    readonly rows: readonly {
      readonly models: readonly string[];
      readonly path: string;
      readonly values: readonly string[];
    }[];
    readonly none: readonly string[];
    readonly rules: readonly NumberedRule[];
    readonly defaults: readonly { readonly model: string; readonly path: string; readonly value: string }[];
    readonly recommendedModel: string;
    readonly identifiersSeen: readonly string[];
  };
  readonly mapping: { readonly facts: readonly MappingFact[] };
  readonly lifecycle: {
    readonly states: readonly { readonly name: string; readonly meaning: string }[];
    readonly transitions: readonly Readonly<Record<'from' | 'trigger' | 'condition' | 'to' | 'also', string>>[];
  };
  readonly 'follow-up-rules': { readonly rules: readonly NumberedRule[] };
  readonly operations: { readonly operations: readonly TranscribedOperation[] };
  readonly errors: {
    readonly statuses: readonly { readonly status: number }[];
    readonly templates: readonly {
      readonly number: number;
      readonly template: string;
      readonly listOrder: string | null;
    }[];
  };
  readonly limits: {
    readonly rows: readonly {
      readonly limit: string;
      readonly value: string;
      readonly numbers?: readonly number[];
      readonly unit?: string;
    }[];
  };
  readonly authentication: {
    readonly scheme: Readonly<Record<'type' | 'location' | 'name', string>>;
    readonly environmentVariable: string;
    readonly rules: readonly NumberedRule[];
  };
  readonly 'own-keys': { readonly rules: readonly (NumberedRule & { readonly version: string })[] };
  readonly versioning: {
    readonly prefixes: Row;
    readonly publishedVersion: Row;
    readonly roles: Row;
    readonly reasoningControl: Row;
    readonly rules: readonly NumberedRule[];
  };
  readonly 'browser-rules': { readonly rules: readonly NumberedRule[] };
}

/** A table of models and levels; each cell is `Y` or `no`. */
export interface LevelTable {
  readonly rows: readonly ({ readonly models: readonly string[] } & Readonly<
    Record<'disabled' | 'low' | 'medium' | 'high', string>
  >)[];
}

/** One row of the mapping table as data. */
export interface MappingFact {
  readonly family: string;
  readonly kind?: string;
  readonly levels?: Readonly<Record<string, string | number>>;
  readonly routes?: Row;
  readonly except?: readonly { readonly model: string; readonly refused: readonly string[] }[];
  readonly accepted?: readonly string[];
  readonly refused?: readonly string[];
  readonly acceptedInV2?: readonly string[];
  readonly refusedInV2?: readonly string[];
}

/** One operation whose method and path the contract states. */
export interface TranscribedOperation {
  readonly version: 'V2' | 'V3' | 'V4';
  readonly method: string;
  readonly path: string;
  readonly pathParameters: readonly { readonly name: string; readonly format?: string }[];
  readonly requestFields: readonly { readonly name: string; readonly type?: string; readonly value?: string }[];
  readonly responses: readonly {
    readonly status?: number;
    readonly body: string;
    readonly fields?: readonly string[];
  }[];
}

/** Reads one file of the transcription, which was written from the contract independently of spec/. */
export function readTranscription<Name extends keyof Transcription>(name: Name): Transcription[Name] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parsing edge; a file of another shape makes the tests fail that read it
  return parse(readFileSync(`fixtures/contract/${name}.yaml`, 'utf8')) as Transcription[Name];
}
