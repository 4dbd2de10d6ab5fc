/** The keys of the two projects of a filled database. */
export const storedKeys = { key: 'svc_stored', otherKey: 'svc_stored_other' } as const;
