import { runnerPulls } from '@ranger-relay/action-runner';
import { commandsTopicSpec } from '@ranger-relay/actions';
import type { RunActionCommand } from '@ranger-relay/contracts';
import type { Troubles } from './troubles.ts';
import type { Violation } from './truth.ts';

/** Topic of the commands of the site connector. */
export const commandsTopic = commandsTopicSpec({ INTEGRATION_COMMANDS_TOPIC: undefined }, 'site_connector').name;

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
    onViolation({ rule: 'lease', what: `${process} ${what}, and ${holder ?? 'nobody'} held ${lease}`, about: [] });
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

/** A command to run an action. */
export type PublishedCommand = Pick<RunActionCommand, 'event_id' | 'action_id' | 'triggered_by' | 'scheduled_at'>;

/** A command that the schedules published. */
type Tick = PublishedCommand & { readonly scheduled_at: string };

const commandIn = (value: string | Uint8Array): PublishedCommand =>
  JSON.parse(typeof value === 'string' ? value : Buffer.from(value).toString()) as PublishedCommand;

const isTick = (command: PublishedCommand): command is Tick =>
  command.triggered_by === 'auto' && typeof command.scheduled_at === 'string';

/** An entry of the activity log. */
export interface Entry {
  readonly timestamp: string;
  readonly event_type: string;
  readonly payload: { readonly action_id?: string };
}

/** What was published of the schedules, and what ran. Times are ms since 1970. */
export interface Schedules {
  readonly commands: readonly PublishedCommand[];
  readonly entries: readonly Entry[];
  readonly startMs: number;
  /** Since when nothing is wrong any more. */
  readonly quietMs: number;
  readonly endMs: number;
  readonly troubles: Pick<Troubles, 'during'>;
}

/** The schedule of every pull: every ten minutes. */
const periodMs = 600_000;
/** How long after an instant its run has certainly ended, ms. */
const runMs = 180_000;

/** A scheduler publishes what is due within this time after the last trouble, ms. */
const calmMs = 180_000;

/** Whether nothing was wrong for long enough between an instant and the next one. */
const couldPublish = (at: number, troubles: Schedules['troubles']): boolean => {
  for (let from = at; from + calmMs <= at + periodMs; from += 15_000)
    if (!troubles.during(from, from + calmMs)) return true;
  return false;
};

/** How often an action started and completed between an instant and the next one. */
const runsOf = (action: string, at: number, entries: readonly Entry[]) => {
  const own = entries.filter(({ timestamp, payload }) => {
    const age = Date.parse(timestamp) - at;
    return payload.action_id === action && age >= 0 && age < periodMs;
  });
  const count = (type: string): number => own.filter(({ event_type }) => event_type === type).length;
  return { started: count('IntegrationActionStarted'), completed: count('IntegrationActionComplete') };
};

/** What is wrong with one instant of a schedule; undefined when nothing is. */
const instantProblem = (action: string, at: number, ticks: readonly Tick[], of: Schedules): string | undefined => {
  if (ticks.length === 0) return couldPublish(at, of.troubles) ? 'was not published' : undefined;
  if (ticks.some(({ event_id }) => event_id !== ticks[0]?.event_id))
    return 'was published under two event ids, so that a repeat runs again';
  if (at < of.quietMs || at + periodMs > of.endMs) return undefined;
  const { started, completed } = runsOf(action, at, of.entries);
  return started === 1 && completed === 1 ? undefined : `started ${started} times and completed ${completed} times`;
};

/**
 * Every instant of a schedule is published under one event id, unless something was wrong again and again until the next one; when nothing
 * is wrong, it runs exactly once.
 */
export const tickViolations = (of: Schedules): Violation[] =>
  runnerPulls().flatMap((action) => {
    const ticks = Map.groupBy(
      of.commands.filter(isTick).filter(({ action_id }) => action_id === action),
      ({ scheduled_at }) => Date.parse(scheduled_at),
    );
    const due: number[] = [];
    for (let at = Math.ceil((of.startMs + 1) / periodMs) * periodMs; at < of.endMs - runMs; at += periodMs)
      due.push(at);
    return [...new Set([...due, ...ticks.keys()])].flatMap((at): Violation[] => {
      const what = at % periodMs === 0 ? instantProblem(action, at, ticks.get(at) ?? [], of) : 'is not in its schedule';
      const time = new Date(at).toISOString();
      return what === undefined ? [] : [{ rule: 'tick', what: `${action} of ${time} ${what}`, about: [time] }];
    });
  });
