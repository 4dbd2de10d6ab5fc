/** How browsers of a fleet are made. */
export type Hosts = 'simulated' | 'local';

/** What may live at once: more real browsers than a machine bears would only queue, and their tasks with them. */
export const sessionsMax: Readonly<Record<Hosts, number>> = { simulated: 200, local: 8 };

/** The key of the one project of a fleet. */
export const killedKey = 'svc_killed';
