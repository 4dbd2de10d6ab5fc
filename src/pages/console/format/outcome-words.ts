/** Whether a goal was achieved, in words; null before the verdict. */
export function outcomeWords(isAchieved: boolean | null | undefined): string | null {
  if (isAchieved === null || isAchieved === undefined) return null;
  return isAchieved ? 'achieved' : 'not achieved';
}
