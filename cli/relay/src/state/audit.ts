import { activityLevel } from '@ranger-relay/contracts';
import { toRelayError, RelayError } from '@ranger-relay/errors';
import type { Bus } from '@ranger-relay/bus';
import { writeEntry } from '@ranger-relay/platform';
import type { Clock, Random } from '@ranger-relay/runtime';
import { masked } from '../actions/masked.ts';
import { keyOf, type Changed, type StatePlace } from './change.ts';

/** Who changed what, as it is printed and told to the activity log. Secrets are masked. */
export interface Audit extends StatePlace {
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
  /** The command, such as `state rollback`. */
  readonly command: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The record of a change. */
export const auditOf = (
  { integration, action, source }: StatePlace,
  { before, after }: Changed,
  { command, by, at }: { readonly command: string; readonly by: string; readonly at: number },
): Audit => ({
  at: new Date(at).toISOString(),
  by,
  command,
  integration,
  action,
  source,
  before: masked(before),
  after: masked(after),
});

/** Where the record goes. */
export interface AuditParts {
  readonly bus: Bus;
  /** Of the activity log. */
  readonly topic: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Puts the record into the activity log. @throws RelayError `state_untold` */
export const tellAudit = async ({ bus, topic, clock, random }: AuditParts, audit: Audit): Promise<void> => {
  const { integration, action, by, command, source, before, after } = audit;
  const value = writeEntry({
    eventId: random.uuid(),
    at: clock.now(),
    type: 'IntegrationActionCustomLog',
    integrationId: integration,
    subject: { action_id: action },
    payload: {
      title: `State of ${action} changed by ${by}`,
      level: activityLevel.info,
      data: { by, command, source, before, after },
    },
  });
  try {
    await bus.publish(topic, [{ key: integration, value }]);
  } catch (error) {
    const details = { key: keyOf(audit), reason: toRelayError(error).message };
    throw new RelayError('state_untold', { details, cause: error });
  }
};
