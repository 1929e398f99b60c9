import { pullProgress, type PullProgress, readSchedulerEntries, readSchedules } from '@ranger-relay/action-runner';
import { nextFire, parseState, type Schedule, stateKey } from '@ranger-relay/actions';
import type { Shell } from '@ranger-relay/terminal';
import { configurationOf, inspect, type InspectedConfiguration, type Inspection } from '../actions/inspect.ts';
import type { Source } from '../actions/options.ts';
import { lastRuns, type PastRun } from '../actions/runs.ts';
import type { Workbench } from '../actions/workbench.ts';
import { type Verdict, verdictOf } from './format.ts';

/** When an action runs by itself. */
interface ToldSchedule {
  readonly crontab: string;
  /** Who says so: the operator, the handler, or neither. */
  readonly from: Schedule['source'];
  /** ISO 8601. */
  readonly next_fire: string;
}

/** The schedule of an action; null for actions that have none. */
const scheduleOf = (schedules: readonly Schedule[], actionId: string, now: number): ToldSchedule | null => {
  const schedule = schedules.find((each) => each.actionId === actionId);
  if (!schedule) return null;
  return {
    crontab: schedule.crontab.text,
    from: schedule.source,
    next_fire: new Date(nextFire(schedule.crontab, now)).toISOString(),
  };
};

/** Result of `why`, as `--output json` prints it. */
export interface Why {
  readonly integration: {
    readonly id: string;
    readonly name: string | null;
    readonly type: string;
    readonly enabled: boolean;
    readonly source: Source;
  };
  readonly action: { readonly id: string; readonly type: string; readonly service: string };
  readonly configuration: InspectedConfiguration & { readonly run_on_schedule: boolean | null };
  readonly schedule: ToldSchedule | null;
  readonly scheduler: {
    readonly mode: 'internal' | 'platform';
    readonly leader: string | null;
    /** The running service, or without one the environment of this command. */
    readonly told_by: 'service' | 'environment';
  };
  /** `since`: ISO 8601; null when the activity log does not tell. */
  readonly running: { readonly held: boolean; readonly since: string | null };
  /** Of a pull action. */
  readonly pull: PullProgress | null;
  /** Newest first; null when the activity log could not be read in time. */
  readonly last_runs: readonly PastRun[] | null;
  readonly verdict: Verdict;
}

const maxRuns = 5;

const idleness = (schedule: ToldSchedule | null, scheduler: Why['scheduler']) => {
  if (!schedule) return 'not_scheduled';
  return scheduler.mode === 'internal' && scheduler.leader === null ? 'no_scheduler_leader' : undefined;
};

const told = (inspection: Inspection) => {
  const { integration, action, service, explanation, integrationSource: source } = inspection;
  const { id, name = null, type, enabled } = integration;
  return {
    integration: { id, name, type: type.value, enabled, source },
    action: { id: action.id, type: action.type, service: service.name },
    configuration: { ...configurationOf(inspection), run_on_schedule: explanation.runOnSchedule },
  };
};

/** Collects what decides over the next tick of an action. @throws as `inspect`; RelayError of bus and store */
export const collectWhy = async (
  shell: Shell,
  { bus, kv, env, look, services, schedules }: Workbench,
  integrationId: string,
  actionId: string,
): Promise<Why> => {
  const inspection = await inspect(look, services, { integrationId, actionId, overrides: null, triggeredBy: 'auto' });
  const topic = env.INTEGRATION_EVENTS_TOPIC;
  const key = stateKey.of(integrationId, actionId);
  const [lease, { leader }, running, runs, kept] = await Promise.all([
    kv.state.get(stateKey.run(integrationId, actionId)),
    readSchedulerEntries(kv.state, inspection.integration.type.value),
    readSchedules(kv.state, inspection.integration.type.value),
    lastRuns(shell, { bus, topic, integrationId, actionId }, maxRuns),
    kv.state.get(key),
  ]);
  const schedule = scheduleOf(running?.schedules ?? schedules, actionId, shell.clock.now());
  const scheduler = {
    mode: running?.scheduler ?? env.SCHEDULER,
    leader,
    told_by: running ? ('service' as const) : ('environment' as const),
  };
  const held = lease !== null;
  const [newest] = runs ?? [];
  const since = held && newest?.outcome === 'open' ? newest.started_at : null;
  return {
    ...told(inspection),
    schedule,
    scheduler,
    running: { held, since },
    pull: inspection.action.type === 'pull' ? pullProgress(parseState(key, kept), shell.clock.now()) : null,
    last_runs: runs,
    verdict: verdictOf(inspection.explanation, { running: held, idle: idleness(schedule, scheduler) }),
  };
};
