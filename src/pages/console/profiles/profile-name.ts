import type { Profile } from '../api/types.ts';
import { minute } from '../format.ts';

/** Returns what a profile is called: its name, else the user it belongs to, else the time at which it was made. */
export function profileName({ name, userId, createdAt }: Profile): string {
  return name ?? userId ?? `Profile of ${minute(createdAt)}`;
}
