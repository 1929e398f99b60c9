/** The source of what belongs to an action as a whole. */
export const wholeAction = 'no-source';

/** Names of the entries in the state space (platform contract, state and cache keys). */
export const stateKey = {
  of: (integrationId: string, actionId: string, source = wholeAction): string =>
    `integration_state.${integrationId}.${actionId}.${source}`,
  /** Set while the hourly WARNING about an invalid configuration is not due again. */
  invalidConfigWarning: (integrationId: string, actionId: string): string =>
    stateKey.of(integrationId, actionId, 'skip-invalid-config-warning'),
  /** Lease of the one run of a pull action. */
  run: (integrationId: string, actionId: string): string => stateKey.of(integrationId, actionId, 'backfill-lock'),
  /** Mark of a message or event that was worked on. */
  done: (deliveryId: string): string => `done.${deliveryId}`,
};

/** A message that was worked on is known for so long, ms. */
export const doneMs = 3_600_000;
