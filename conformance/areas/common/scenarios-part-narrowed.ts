/** The one cell that is wanted, where the table has it; every cell otherwise: another check may need them. */
export function narrowed<C extends { key: string }>(cells: readonly C[], onlyCell: string | undefined): C[] {
  const one = cells.filter(({ key }) => key === onlyCell);
  return one.length > 0 ? one : [...cells];
}
