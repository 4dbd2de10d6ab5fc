/** Members of the tables of spec/rules that the generator reads; spec/meta has the full schemas. */
export interface RuleTables {
  readonly models: Record<
    'v2' | 'v3' | 'v4',
    {
      default: { model: string };
      models: {
        name: string;
        provider: string;
        aliasOf?: string;
        intent?: string;
        availability: string;
        source: string;
      }[];
    }
  >;
  readonly thinkingLevels: Record<'v2' | 'v3', { model: string; levels: string[] }[]>;
  readonly modelParams: { matrix: { model: string; path: string; values: string[] }[] };
  readonly lifecycle: {
    machines: { machine: string; version: string; states: { name: string; kind: string; meaning: string }[] }[];
    views: { version: string; run: string; status: string }[];
  };
  readonly runEvents: { events: { type: string; when: string; data: string }[] };
  readonly errors: { problems: { code: string; status: number; body: string; message: string; type?: string }[] };
  readonly commonResponses: {
    responses: { status: number; response: string; methods: string[]; level: 'connection' | 'operation' }[];
  };
  readonly errorExamples: {
    examples: {
      code: string;
      /** Name of a component of spec/shared/responses. */
      response: string;
      versions?: string[];
      loc?: (string | number)[];
      values?: Record<string, string>;
    }[];
    elsewhere: string[];
  };
}
