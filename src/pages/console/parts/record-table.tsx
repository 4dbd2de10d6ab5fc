import type { ComponentChildren, JSX } from 'preact';

/** A column by its name, or one of numbers. */
export type Column = string | { readonly number: string };

/** A table of records. */
export interface RecordTableProps {
  /** What it lists, for those who do not see it. */
  readonly name: string;
  readonly columns: readonly Column[];
  /** Its rows; each ends with a cell for what can be done. */
  readonly children: ComponentChildren;
}

/** A table of records with what can be done to each; on a narrow screen each record stands by itself. */
export function RecordTable({ name, columns, children }: RecordTableProps): JSX.Element {
  return (
    <div class="scroll">
      <table class="stack">
        <caption class="unseen">{name}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : (
                <th key={column.number} scope="col" class="number">
                  {column.number}
                </th>
              ),
            )}
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
