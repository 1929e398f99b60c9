/** Names of the scheduler's entries in the state space of the store. */
export const schedulerKey = {
  /** Lease of the one process that publishes (platform contract, scheduling). */
  leader: 'scheduler.leader',
  /** Up to when the schedules were published, an ISO time. */
  mark: 'scheduler.mark',
} as const;
