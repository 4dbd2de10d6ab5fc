import { prepareInsert } from './insert-row.ts';

/** Writes down that something has happened; nothing changes an event. */
export const addEvent = prepareInsert('events');
