import type { RuleBook } from '#contract/rule-book.ts';

type Levels = RuleBook['thinkingLevels'];

/** Returns a function that changes the rule tables so that a model accepts exactly these levels. */
export function withLevels(
  version: keyof Levels,
  model: string,
  levels: readonly string[],
): (rules: RuleBook) => RuleBook {
  return (rules) => ({
    ...rules,
    thinkingLevels: {
      ...rules.thinkingLevels,
      [version]: rules.thinkingLevels[version].map((row) => (row.model === model ? { ...row, levels } : row)),
    },
  });
}

/**
 * Returns a function that changes the rule tables: a V4 model then accepts exactly these values at a path, also if the
 * tables had no row for the path.
 */
export function withParams(model: string, path: string, values: readonly string[]): (rules: RuleBook) => RuleBook {
  return (rules) => {
    const others = rules.modelParams.matrix.filter((row) => row.model !== model || row.path !== path);
    return {
      ...rules,
      modelParams: { ...rules.modelParams, matrix: [...others, { model, path, values, source: 'mutant' }] },
    };
  };
}

/** Returns a function that changes the status or the message of a problem in the rule tables. */
export function withProblem(
  code: string,
  change: { status?: number; message?: string },
): (rules: RuleBook) => RuleBook {
  return (rules) => ({
    ...rules,
    errors: {
      ...rules.errors,
      problems: rules.errors.problems.map((row) => (row.code === code ? { ...row, ...change } : row)),
    },
  });
}

/**
 * Returns a function that changes the state to which a transition of a session leads in the rule tables. If several
 * transitions have the id, `condition` selects one of them.
 */
export function withTransition(id: string, change: { condition?: string; to: string }): (rules: RuleBook) => RuleBook {
  const flip = <Row extends { id: string; to: string; condition?: string }>(row: Row): Row =>
    row.id === id && (change.condition === undefined || row.condition === change.condition)
      ? { ...row, to: change.to }
      : row;
  return (rules) => ({
    ...rules,
    lifecycle: {
      ...rules.lifecycle,
      machines: rules.lifecycle.machines.map((machine) =>
        machine.machine === 'session'
          ? {
              ...machine,
              transitions: machine.transitions.map(flip),
              ...(machine.decisions === undefined ? {} : { decisions: machine.decisions.map(flip) }),
            }
          : machine,
      ),
    },
  });
}

/** Returns a function that changes the value of a limit in the rule tables. */
export function withLimit(limit: string, value: number): (rules: RuleBook) => RuleBook {
  return (rules) => ({
    ...rules,
    limits: {
      ...rules.limits,
      limits: rules.limits.limits.map((row) => (row.limit === limit ? { ...row, value } : row)),
    },
  });
}

/** Returns a function that changes the row of a V3 model in the rule tables. */
export function withModel(
  name: string,
  change: { aliasOf?: string; availability?: string },
): (rules: RuleBook) => RuleBook {
  return (rules) => ({
    ...rules,
    models: {
      ...rules.models,
      v3: {
        ...rules.models.v3,
        models: rules.models.v3.models.map((row) => (row.name === name ? { ...row, ...change } : row)),
      },
    },
  });
}

/**
 * Returns a function that changes the row of a model family in the rule tables: it maps a level to another value of the
 * provider, or routes the family to another model.
 */
export function withMapping(
  family: string,
  change: {
    levels?: Readonly<Record<string, string | number>>;
    routesTo?: { readonly v2: string; readonly v3: string };
  },
): (rules: RuleBook) => RuleBook {
  return (rules) => ({
    ...rules,
    reasoningMapping: {
      ...rules.reasoningMapping,
      families: rules.reasoningMapping.families.map((row) =>
        row.family === family ? { ...row, ...change, levels: { ...row.levels, ...change.levels } } : row,
      ),
    },
  });
}

/**
 * Returns a function that changes the default of a V4 model in the rule tables, or removes this default if `value` is
 * undefined.
 */
export function withDefault(model: string, value: string | undefined): (rules: RuleBook) => RuleBook {
  return (rules) => ({
    ...rules,
    modelParams: {
      ...rules.modelParams,
      defaults: rules.modelParams.defaults.flatMap((row) => {
        if (row.model !== model) return [row];
        return value === undefined ? [] : [{ ...row, value }];
      }),
    },
  });
}
