import { parseArgs } from 'node:util';
import type { Made, Tree } from './made.ts';
import { newCheck } from './new-check.ts';
import { NewFault } from './new-fault.ts';
import { newModel } from './new-model.ts';
import { newOperation } from './new-operation.ts';
import { newVersion } from './new-version.ts';

/** What the flags of `npm run new` say. */
export interface NewFlags {
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly area?: string | undefined;
}

const kinds: Readonly<Record<string, (tree: Tree, name: string, flags: NewFlags) => Made>> = {
  model: newModel,
  operation: newOperation,
  check: newCheck,
  version: newVersion,
};

const usage = `expected ${Object.keys(kinds).join(', ')} and a name, such as: npm run new -- check PURGE-02 --area purge`;

/** What `npm run new` with these words makes of the tree. Throws a {@link NewFault} for words that it cannot use. */
export function plan(words: readonly string[], tree: Tree): Made {
  const { positionals, values } = parsed(words);
  const [kind = '', name, ...rest] = positionals;
  const make = kinds[kind];
  if (make === undefined || name === undefined || rest.length > 0)
    throw new NewFault(`found "${words.join(' ')}", ${usage}`);
  return make(tree, name, values);
}

function parsed(words: readonly string[]): { positionals: readonly string[]; values: NewFlags } {
  const flag = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { version: flag, method: flag, path: flag, area: flag },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new NewFault(`${error.message}; ${usage}`, { cause: error });
  }
}
