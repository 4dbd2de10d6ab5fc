/** placeholder */
export async function benchGrowth(_folder: string): Promise<string[]> {
  return [];
}
