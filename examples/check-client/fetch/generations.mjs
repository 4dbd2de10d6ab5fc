/** Paths, final states and stop requests of each API generation. */
export const generations = {
  v2: {
    path: '/tasks',
    state: '/status',
    ends: ['finished', 'failed', 'stopped'],
    stops: { method: 'PATCH', path: '', json: { action: 'stop' } },
  },
  v3: {
    path: '/sessions',
    state: '',
    ends: ['idle', 'stopped', 'timed_out', 'error'],
    stops: { method: 'POST', path: '/stop' },
  },
  v4: {
    path: '/runs',
    state: '/status',
    ends: ['completed', 'failed', 'cancelled'],
    stops: { method: 'POST', path: '/cancel' },
  },
};
