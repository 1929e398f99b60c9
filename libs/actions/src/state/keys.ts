import { storeKey } from '@ranger-relay/kv';

/** The source of what belongs to an action as a whole. */
export const wholeAction = 'no-source';

const invalidConfigWarning = 'skip-invalid-config-warning';
const runLease = 'backfill-lock';
const ours = new Set([wholeAction, invalidConfigWarning, runLease]);

/** One delivery of a message, by all that tells it from others. */
export interface DeliveryPlace {
  /** Integration type of the service that runs the action. */
  readonly slug: string;
  /** Topic or endpoint that the message came on. */
  readonly from: string;
  readonly integrationId: string;
  readonly actionId: string;
  /** Message or event id. */
  readonly id: string;
}

/** Names of the entries in the state space (platform contract, state and cache keys). */
export const stateKey = {
  of: (integrationId: string, actionId: string, source = wholeAction): string =>
    `integration_state.${integrationId}.${actionId}.${source}`,
  /** As `of`, for a source that a handler names: an id of a site never meets an entry of the runtime. */
  ofHandler: (integrationId: string, actionId: string, source?: string): string =>
    stateKey.of(
      integrationId,
      actionId,
      source !== undefined && (ours.has(source) || source.startsWith('%')) ? `%${source}` : source,
    ),
  /** Set while the hourly WARNING about an invalid configuration is not due again. */
  invalidConfigWarning: (integrationId: string, actionId: string): string =>
    stateKey.of(integrationId, actionId, invalidConfigWarning),
  /** Lease of the one run of a pull action. */
  run: (integrationId: string, actionId: string): string => stateKey.of(integrationId, actionId, runLease),
  /** Mark of a delivery that was worked on. */
  done: ({ slug, from, integrationId, actionId, id }: DeliveryPlace): string =>
    storeKey('done', slug, from, integrationId, actionId, id),
  /** The same in the release before; read for as long as a mark of it can live. */
  doneBefore: ({ id }: DeliveryPlace): string => `done.${id}`,
};

/** A message that was worked on is known for so long, ms. */
export const doneMs = 3_600_000;
