import { describe, expect, it } from 'vitest';
import { duplicateTypes, refuseDuplicates, refuseRenamed, renamedComponents } from './refuse-mistakes.ts';

describe('a name that is declared twice', () => {
  it('is refused with file and line, where TypeScript would merge the two', () => {
    const text =
      'export interface NewRun {\n  task: string;\n}\n\nconst x = 1;\nexport interface NewRun {}\ntype Other = 1;\n';
    expect(duplicateTypes('a.ts', text)).toEqual(['a.ts:6: NewRun, first declared in line 1']);
  });

  it('is refused with its files, where the bundler renames a component', () => {
    const document = { components: { parameters: { SessionId: {}, 'SessionId-2': {} }, schemas: { Run: {} } } };
    expect(renamedComponents(document)).toEqual([{ kind: 'parameters', name: 'SessionId' }]);
    expect(() => refuseRenamed(document, 'v4')).toThrow(
      'spec/shared/parameters/SessionId.yaml:1: SessionId\n  spec/v4/parameters/SessionId.yaml:1: SessionId',
    );
  });

  it('stands nowhere in the project', () => {
    expect(() => refuseDuplicates(['src', 'conformance', 'tools', 'proofs', 'bench'])).not.toThrow();
  });
});
