import { activityLevel, conditionViewSchema } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import { type KvSpace, storeKey } from '@ranger-relay/kv';
import type { Activity } from '@ranger-relay/platform';
import {
  type ConditionKey,
  conditionSpec,
  type ConditionState,
  type Context,
  integrationOfCondition,
  isConditionName,
  repeat,
  sentenceOf,
} from '@ranger-relay/runtime';

const prefix = 'conditions.';
const person = 'person';
const shareEveryMs = 15_000;
/** A process that ended takes its view with it. */
const viewTtlMs = 60_000;
const dismissalTtlMs = 7 * 86_400_000;
const hourMs = 3_600_000;
/** Most states in a view, so that a value stays small. */
const maxStates = 1_000;

const parseView = (value: string): readonly ConditionState[] => {
  try {
    const { data = [] } = conditionViewSchema.safeParse(JSON.parse(value));
    return data.flatMap((state) => {
      const { name } = state;
      return isConditionName(name) ? [{ ...state, name }] : [];
    });
  } catch {
    return [];
  }
};

/** The views of all processes, and what people dismissed, to be merged. @throws RelayError `kv_unavailable` */
export const conditionViews = async (state: Pick<KvSpace, 'list'>): Promise<readonly (readonly ConditionState[])[]> =>
  (await state.list(prefix)).map(({ value }) => parseView(value));

/** Clocks of two machines differ: a dismissal may be this much newer than the last view of what it ends, ms. */
const dismissalLeadMs = 2 * shareEveryMs;

/**
 * Dismisses a condition by a person's word: it is over unless the fault is seen again. Processes hear of it within 15 s.
 * @param now ms since 1970
 * @throws RelayError `kv_unavailable`
 */
export const dismissCondition = async (
  state: Pick<KvSpace, 'set' | 'list'>,
  { name, subject }: ConditionKey,
  now: number,
): Promise<void> => {
  const seen = (await conditionViews(state)).flat().filter((each) => each.name === name && each.subject === subject);
  const newest = Math.max(...seen.filter(({ active }) => active).map(({ lastAt }) => lastAt));
  const lastAt = Number.isFinite(newest) ? Math.min(Math.max(now, newest), newest + dismissalLeadMs) : now;
  const cleared: ConditionState = { name, subject, active: false, since: lastAt, lastAt, count: 0, details: {} };
  await state.set(storeKey('conditions', person, name, subject), JSON.stringify([cleared]), {
    ttlMs: dismissalTtlMs,
  });
};

/** Who shares its conditions, and where. */
interface Sharing {
  readonly state: Pick<KvSpace, 'set' | 'list' | 'setIfAbsent'>;
  readonly activity: Pick<Activity, 'webhook'>;
  /** Unique among the processes of the service. */
  readonly instance: string;
}

/**
 * Every 15 s: writes the view of this process to the store, where `status` merges it with others, ends what others saw to be gone or people
 * dismissed, and reports conditions of integrations to the activity log, hourly. The write is the probe of the store: it sets or clears `store_write_failing`.
 */
export const shareConditions = (
  { service, clock, conditions, lifecycle }: Pick<Context, 'service' | 'clock' | 'conditions' | 'lifecycle'>,
  { state, activity, instance }: Sharing,
): void => {
  const view = (): string => JSON.stringify(conditions.view().slice(0, maxStates));

  /** Actions write a Failed entry for each failed run. */
  const report = async (condition: ConditionState): Promise<void> => {
    const { name, subject, count, since, details } = condition;
    const integration = integrationOfCondition(name, subject);
    if (integration === null || conditionSpec(name).subject === 'action') return;
    const key = storeKey('condition-entry', name, subject);
    if (!(await state.setIfAbsent(key, 'reported', { ttlMs: hourMs }))) return;
    const { severity, remedy } = conditionSpec(name);
    activity.webhook('CustomLog', integration, {
      title: sentenceOf(condition),
      level: severity === 'critical' ? activityLevel.error : activityLevel.warning,
      data: { condition: name, since: new Date(since).toISOString(), count, ...details, remedy },
    });
  };

  const share = async (): Promise<void> => {
    try {
      await state.set(storeKey('conditions', service, instance), view(), { ttlMs: viewTtlMs });
      conditions.clear('store_write_failing', service);
      conditions.learn(await conditionViews(state));
      for (const condition of conditions.active()) await report(condition);
    } catch (error) {
      conditions.set('store_write_failing', service, { reason: toRelayError(error).message });
    }
  };

  const stop = repeat({ clock, everyMs: shareEveryMs, firstMs: 0 }, share);
  lifecycle.onStop('shared conditions', () => void stop());
};
