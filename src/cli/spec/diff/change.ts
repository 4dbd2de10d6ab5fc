import { type ChangeKindName, changeKinds, type Direction, type Verdict } from './change-kinds.ts';

/** A difference before its verdict. */
export interface Change {
  readonly kind: ChangeKindName;
  readonly direction: Direction;
  /** The operation and the location in it, for example `POST /sessions request.model`. */
  readonly where: string;
  /** Details such as `"svc-mini"` or `10 -> 5`; empty when the kind is sufficient. */
  readonly detail: string;
}

/** A change with its verdict. */
export interface JudgedChange extends Change {
  readonly verdict: Verdict;
  /** Sentence such as `POST /sessions request.model: value removed "svc-mini"`. */
  readonly sentence: string;
  /** Reason why the change breaks or may break clients; undefined for the verdict `fine`. */
  readonly why?: string;
}

/** Adds to a change the verdict and the reason that {@link changeKinds} defines for its kind and direction. */
export function judge(change: Change): JudgedChange {
  const kind = changeKinds[change.kind];
  const verdict = kind[change.direction];
  return {
    ...change,
    verdict,
    sentence: `${change.where}: ${kind.text}${change.detail === '' ? '' : ` ${change.detail}`}`,
    ...('why' in kind && verdict !== 'fine' ? { why: kind.why } : {}),
  };
}

/** A location in a document, and its direction. */
export interface Place {
  readonly direction: Direction;
  readonly where: string;
}

/** Creates a change at a location. */
export function changeAt({ direction, where }: Place, kind: ChangeKindName, detail = ''): Change {
  return { kind, direction, where, detail };
}

/** Returns the location of a part of a value: `.member`, `[]` or a condition is appended. */
export function below({ direction, where }: Place, suffix: string): Place {
  return { direction, where: `${where}${suffix}` };
}

/** The values of the old and of the new document that are compared. */
export interface Pair<Value> {
  readonly old: Value;
  readonly new: Value;
}
