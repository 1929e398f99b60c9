import { storeKey } from '@ranger-relay/kv';

/** The source for data of an action as a whole. */
export const wholeAction = 'no-source';

const invalidConfigWarning = 'skip-invalid-config-warning';
const runLease = 'backfill-lock';
const ours = new Set([wholeAction, invalidConfigWarning, runLease]);

/** The identity of one delivery of a message. */
export interface DeliveryPlace {
  /** Integration type of the service that runs the action. */
  readonly slug: string;
  /** Topic or endpoint that received the message. */
  readonly from: string;
  readonly integrationId: string;
  readonly actionId: string;
  /** Message or event id. */
  readonly id: string;
}

/** Keys of the entries in the state space (platform contract, state and cache keys). */
export const stateKey = {
  of: (integrationId: string, actionId: string, source = wholeAction): string =>
    `integration_state.${integrationId}.${actionId}.${source}`,
  /** As `of`, for a source chosen by a handler: it never collides with a key of the runtime. */
  ofHandler: (integrationId: string, actionId: string, source?: string): string =>
    stateKey.of(
      integrationId,
      actionId,
      source !== undefined && (ours.has(source) || source.startsWith('%')) ? `%${source}` : source,
    ),
  /** Exists while the hourly WARNING about an invalid configuration is not due again. */
  invalidConfigWarning: (integrationId: string, actionId: string): string =>
    stateKey.of(integrationId, actionId, invalidConfigWarning),
  /** Lease that makes a run of a pull action exclusive. */
  run: (integrationId: string, actionId: string): string => stateKey.of(integrationId, actionId, runLease),
  /** Mark of a processed delivery. */
  done: ({ slug, from, integrationId, actionId, id }: DeliveryPlace): string =>
    storeKey('done', slug, from, integrationId, actionId, id),
};

/** How long a processed message is remembered, ms. */
export const doneMs = 3_600_000;
