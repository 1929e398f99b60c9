import type { RunActionCommand } from '@ranger-relay/contracts';
import type { Troubles } from './troubles.ts';
import type { Violation } from './truth.ts';

/** Topic of the commands of the site connector. */
export const commandsTopic = 'site_connector-actions-topic';

/** Time to live of a lease without renewal, ms. */
const leaseMs = 30_000;

/** Keys of leases: of a pull of an integration, and of the leader of the schedules. */
const isLease = (key: string): boolean => /^integration_state\..*\.backfill-lock$|^scheduler\..+\.leader$/.test(key);

/** The lease that a process must hold before it writes a key; undefined when it needs none. */
const leaseOf = (key: string): string | undefined => {
  const [, pull, source] = /^(integration_state\.[^.]+\.pull_[^.]+)\.(.+)$/.exec(key) ?? [];
  if (pull !== undefined && source !== 'backfill-lock' && source !== 'skip-invalid-config-warning')
    return `${pull}.backfill-lock`;
  const [, scheduler] = /^(scheduler\..+)\.mark$/.exec(key) ?? [];
  return scheduler && `${scheduler}.leader`;
};

/** Sees who takes leases, and who does what needs one. */
export interface LeaseWatch {
  /** A process took a key that was free. */
  took(process: string, key: string): void;
  /** A process is about to write a key. */
  writes(process: string, key: string): void;
  /** A process is about to publish to a topic. */
  publishes(process: string, topic: string, values: readonly (string | Uint8Array)[]): void;
}

interface Leases {
  readonly now: () => number;
  readonly troubles: Pick<Troubles, 'lostWrites'>;
  /** Whether a key exists in the store. */
  readonly exists: (key: string) => boolean;
  readonly onViolation: (violation: Violation) => void;
}

/** Holds every process to its leases: it does what needs one only while it holds it, unless the store lost that lease. */
export const watchLeases = ({ now, troubles, exists, onViolation }: Leases): LeaseWatch => {
  const holders = new Map<string, string>();
  const check = (process: string, lease: string, what: string): void => {
    const holder = exists(lease) ? holders.get(lease) : undefined;
    if (holder === process || troubles.lostWrites(now() - leaseMs, now())) return;
    onViolation({ rule: 'lease', what: `${process} ${what}, and ${holder ?? 'nobody'} held ${lease}`, about: [lease] });
  };
  return {
    took: (process, key) => void (isLease(key) && holders.set(key, process)),
    writes(process, key) {
      const lease = leaseOf(key);
      if (lease !== undefined) check(process, lease, `wrote ${key}`);
    },
    publishes(process, topic, values) {
      if (topic !== commandsTopic || !values.some((value) => isTick(commandIn(value)))) return;
      check(process, 'scheduler.site_connector.leader', 'published a tick');
    },
  };
};

/** A command as the schedules publish it. */
export type Tick = Pick<RunActionCommand, 'event_id' | 'action_id' | 'triggered_by' | 'scheduled_at' | 'payload'>;

const commandIn = (value: string | Uint8Array): Tick =>
  JSON.parse(typeof value === 'string' ? value : Buffer.from(value).toString()) as Tick;

const isTick = ({ triggered_by, scheduled_at }: Tick): boolean => triggered_by === 'auto' && scheduled_at !== undefined;

/** An entry of the activity log. */
export interface Entry {
  readonly timestamp: string;
  readonly event_type: string;
  readonly payload: { readonly action_id?: string };
}

/** What was published of the schedules, and what ran. Times are ms since 1970. */
export interface Schedules {
  readonly commands: readonly Tick[];
  readonly entries: readonly Entry[];
  readonly startMs: number;
  /** Since when nothing is wrong any more. */
  readonly quietMs: number;
  readonly endMs: number;
  readonly troubles: Pick<Troubles, 'during'>;
}

const pulls = ['pull_observations', 'pull_events'] as const;
/** The schedule of both pulls: every ten minutes. */
const periodMs = 600_000;
/** How long after an instant its run has certainly ended, ms. */
const runMs = 180_000;

/** A scheduler publishes what is due within this time after the last trouble, ms. */
const calmMs = 180_000;

/**
 * Every instant of a schedule is published, unless something was wrong again and again until the next one; when nothing is wrong, it runs
 * exactly once.
 */
export const tickViolations = ({ commands, entries, startMs, quietMs, endMs, troubles }: Schedules): Violation[] => {
  const couldPublish = (at: number): boolean => {
    for (let from = at; from + calmMs <= at + periodMs; from += 15_000)
      if (!troubles.during(from, from + calmMs)) return true;
    return false;
  };
  return pulls.flatMap((action) => {
    const own = commands.filter((command) => command.action_id === action && isTick(command));
    const published = new Set(own.map(({ scheduled_at }) => Date.parse(scheduled_at ?? '')));
    const of = (kind: string, from: number): number =>
      entries.filter(({ timestamp, event_type, payload }) => {
        const at = Date.parse(timestamp);
        return event_type === kind && payload.action_id === action && at >= from && at < from + periodMs;
      }).length;
    const wrong = (at: number, what: string): Violation => ({
      rule: 'tick',
      what: `${action} of ${new Date(at).toISOString()} ${what}`,
      about: [new Date(at).toISOString()],
    });
    const violations: Violation[] = [...published]
      .filter((at) => at % periodMs !== 0)
      .map((at) => wrong(at, 'is not in its schedule'));
    const ids = new Map(own.map(({ scheduled_at = '', event_id }) => [scheduled_at, event_id]));
    for (const { scheduled_at = '', event_id } of own)
      if (ids.get(scheduled_at) !== event_id)
        violations.push(wrong(Date.parse(scheduled_at ?? ''), 'has two event ids, so that a repeat runs again'));
    for (let at = Math.ceil((startMs + 1) / periodMs) * periodMs; at < endMs - runMs; at += periodMs) {
      if (!published.has(at)) {
        if (couldPublish(at)) violations.push(wrong(at, 'was not published'));
      } else if (at >= quietMs && at + periodMs <= endMs) {
        const [started, ended] = [of('IntegrationActionStarted', at), of('IntegrationActionComplete', at)];
        if (started !== 1 || ended !== 1)
          violations.push(wrong(at, `started ${started} times and ended ${ended} times`));
      }
    }
    return violations;
  });
};
