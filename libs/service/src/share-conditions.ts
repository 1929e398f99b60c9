import { activityLevel, conditionDocumentSchema } from '@ranger-relay/contracts';
import { jsonOf, RelayError, toRelayError } from '@ranger-relay/errors';
import { type KeyValue, type KvSpace, oncePerHour, unlessUnavailable } from '@ranger-relay/kv';
import type { Activity, Integrations } from '@ranger-relay/platform';
import {
  type Clock,
  type ConditionKey,
  conditionSpec,
  type ConditionState,
  type Context,
  integrationOfCondition,
  isConditionName,
  remedyOf,
  repeat,
  sentenceOf,
} from '@ranger-relay/runtime';

/** One value, because it is small and nothing of it expires: what a process knew is what its successor begins with. */
const documentKey = 'conditions';
const probeKey = 'conditions-probe';
const person = 'person';
const shareEveryMs = 15_000;
/** A critical condition that began or ended waits no longer, ms: that must outlive its process, however it ends. */
const checkEveryMs = 250;
/** A process that has not written for so long has ended, and what was wrong with it alone is over. */
const goneMs = 60_000;
/** Found by a start after a long stop: clocks do not differ by as much. */
const surelyGoneMs = 86_400_000;
/** So long the end of a condition is told to the other processes. */
const endedMs = 10 * 60_000;
const hourMs = 3_600_000;
/** Most states of a process, so that the value stays small. */
const maxStates = 1_000;
/** Several processes may write at the same time. */
const maxAttempts = 5;

/** What one process knows, or what a person dismissed. */
interface Section {
  readonly service: string;
  /** When it last wrote, ms since 1970 by the clock of the store, where that has one. */
  readonly at: number;
  readonly states: readonly ConditionState[];
}

/** Sections by the instance of their process. */
type Document = ReadonlyMap<string, Section>;
type DocumentSpace = Pick<KvSpace, 'get' | 'setIfAbsent' | 'compareAndSet'>;

const parseDocument = (text: string | null): Document => {
  const { data = {} } = conditionDocumentSchema.safeParse(jsonOf(text ?? ''));
  return new Map(
    Object.entries(data).map(([instance, { service, at, states }]) => {
      const known = states.flatMap((state) => (isConditionName(state.name) ? [{ ...state, name: state.name }] : []));
      return [instance, { service, at, states: known }];
    }),
  );
};

const isOfProcess = ({ name }: ConditionState): boolean => conditionSpec(name).subject === 'process';

/** What outlives its process. */
const lasting = (states: readonly ConditionState[]): readonly ConditionState[] =>
  states.filter((state) => state.active && !isOfProcess(state));

const keyOf = ({ name, subject }: ConditionKey): string => `${name} ${subject}`;

/** When each service wrote last. */
const lastWrites = (sections: Document): ReadonlyMap<string, number> => {
  const last = new Map<string, number>();
  for (const { service, at } of sections.values())
    if (service !== person) last.set(service, Math.max(at, last.get(service) ?? -Infinity));
  return last;
};

/** Without what was seen to be gone later, and of sections that hold nothing the newest of each service: they tell that it works. */
const withoutEnded = (sections: Document): Document => {
  const endedAt = new Map<string, number>();
  for (const state of [...sections.values()].flatMap(({ states }) => states))
    if (!state.active) endedAt.set(keyOf(state), Math.max(state.lastAt, endedAt.get(keyOf(state)) ?? -Infinity));
  const holds = (state: ConditionState) => !state.active || state.lastAt > (endedAt.get(keyOf(state)) ?? -Infinity);
  const last = lastWrites(sections);
  return new Map(
    [...sections].flatMap(([instance, section]) => {
      const states = section.states.filter(holds);
      return states.length > 0 || last.get(section.service) === section.at ? [[instance, { ...section, states }]] : [];
    }),
  );
};

/** Replaces the document by compare-and-set; false when others wrote at each attempt. @throws RelayError `kv_unavailable` */
const update = async (state: DocumentSpace, change: (before: Document) => Document): Promise<boolean> => {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await state.get(documentKey);
    const after = JSON.stringify(Object.fromEntries(withoutEnded(change(parseDocument(before)))));
    const wrote =
      before === null
        ? await state.setIfAbsent(documentKey, after)
        : await state.compareAndSet(documentKey, before, after);
    if (wrote) return true;
  }
  return false;
};

/** Time of the store, ms since 1970: the clock of whoever asks may be wrong. One file has the clock of its machine. */
export const storeTime = async ({ server }: Pick<KeyValue, 'server'>, clock: Pick<Clock, 'now'>): Promise<number> => {
  const told = await unlessUnavailable(server?.() ?? Promise.resolve(undefined));
  return told?.now ?? clock.now();
};

/** What the processes share. */
export interface SharedConditions {
  /** The views of all processes, and what people dismissed, to be merged. */
  readonly views: readonly (readonly ConditionState[])[];
  /** When each service wrote last, ms since 1970 by the clock of the store. */
  readonly lastWrites: ReadonlyMap<string, number>;
  /** What people dismissed, and when, ms since 1970. */
  readonly dismissed: readonly ConditionState[];
}

/**
 * Reads what the processes share.
 * @param now ms since 1970
 * @throws RelayError `kv_unavailable`
 */
export const sharedConditions = async (
  { reserved }: { readonly reserved: Pick<KvSpace, 'get'> },
  now: number,
): Promise<SharedConditions> => {
  const sections = parseDocument(await reserved.get(documentKey));
  return {
    views: [...sections.values()].map(({ at, states }) =>
      Math.abs(now - at) < surelyGoneMs ? states : lasting(states),
    ),
    lastWrites: lastWrites(sections),
    dismissed: sections.get(person)?.states ?? [],
  };
};

/**
 * Dismisses a condition by a person's word: it is over unless the fault is seen again, a share later than the one that is known. Processes hear
 * of it within 15 s.
 * @param now ms since 1970; the clocks of the processes count where one of them holds it
 * @throws RelayError `kv_unavailable`
 */
export const dismissCondition = async (
  { reserved }: { readonly reserved: DocumentSpace },
  key: ConditionKey,
  now: number,
): Promise<void> => {
  const wrote = await update(reserved, (before) => {
    const held = [...before.values()].flatMap(({ states }) => states).filter((each) => keyOf(each) === keyOf(key));
    const lastAt = held.length > 0 ? Math.max(...held.map((each) => each.lastAt)) + shareEveryMs : now;
    const ended: ConditionState = { ...key, active: false, since: lastAt, lastAt, count: 0, details: {} };
    const states = [...(before.get(person)?.states ?? []).slice(1 - maxStates), ended];
    const isLeft = ({ service }: Section): boolean => key.name !== 'service_gone' || service !== key.subject;
    return new Map([...before].filter(([, section]) => isLeft(section))).set(person, {
      service: person,
      at: now,
      states,
    });
  });
  if (!wrote) throw new RelayError('kv_unavailable', { details: { reason: 'other processes write the same value' } });
};

/** Who shares its conditions, and where. */
interface Sharing {
  /** The document is in `reserved`: what a full disk refused must be known after a restart. */
  readonly kv: Pick<KeyValue, 'state' | 'reserved' | 'server'>;
  readonly platform: {
    readonly activity: Pick<Activity, 'webhook'>;
    readonly integrations: Pick<Integrations, 'reload'>;
  };
  /** Unique among the processes of the service that run at the same time. One that starts under it goes on from what the last one knew. */
  readonly instance: string;
}

/**
 * Every 15 s, at once after a critical condition began or ended, at the end of the process, and once before it resolves: writes the view of this process to the document in the store, where `status` merges it with others;
 * ends what others saw to be gone or people dismissed; takes over what an ended process of the service has left, so that its probe or the next
 * good request ends it; and reports conditions of integrations to the activity log, hourly. A write beside it is the probe of the store
 * (`store_write_failing`).
 */
export const shareConditions = async (
  { service, clock, conditions, lifecycle }: Pick<Context, 'service' | 'clock' | 'conditions' | 'lifecycle'>,
  { kv, platform: { activity, integrations }, instance }: Sharing,
): Promise<void> => {
  const { state, reserved } = kv;
  /** When another process was first seen to have written last. */
  let seen = new Map<string, { readonly at: number; readonly since: number }>();
  let isFirst = true;
  let sharedAt = -Infinity;
  let sharedCritical = '';

  const look = (others: Document): void => {
    seen = new Map(
      [...others].map(([each, { at }]) => {
        const known = seen.get(each);
        return [each, known?.at === at ? known : { at, since: clock.monotonic() }];
      }),
    );
  };
  const isGone = (each: string, { at }: Section): boolean =>
    clock.monotonic() - (seen.get(each)?.since ?? 0) >= goneMs || Math.abs(clock.now() - at) >= surelyGoneMs;

  const own = (): readonly ConditionState[] =>
    conditions
      .view()
      .filter(({ active, lastAt }) => active || clock.now() - lastAt < endedMs)
      .slice(0, maxStates);

  /** The next document, and what this process takes over with it. @param at time of the store, ms since 1970 */
  const next = (
    before: Document,
    at: number,
  ): { readonly document: Document; readonly left: readonly ConditionState[] } => {
    const others = new Map([...before].filter(([each]) => each !== instance));
    look(others);
    conditions.learn([...others.values()].map(({ states }) => states));
    const document = new Map(others);
    const left = isFirst ? [...lasting(before.get(instance)?.states ?? [])] : [];
    for (const [each, section] of others) {
      if (!isGone(each, section)) continue;
      const states = lasting(section.states);
      document.set(each, { ...section, states: section.service === service ? [] : states });
      if (section.service === service) left.push(...states);
    }
    document.set(instance, { service, at, states: [...own(), ...left] });
    return { document, left };
  };

  /** Actions write a Failed entry for each failed run. */
  const report = async (condition: ConditionState): Promise<void> => {
    const { name, subject, count, since, details } = condition;
    const integration = integrationOfCondition(name, subject);
    if (integration === null || conditionSpec(name).subject === 'action') return;
    if (!(await oncePerHour(state, 'condition', name, subject))) return;
    const { severity } = conditionSpec(name);
    activity.webhook('CustomLog', integration, {
      title: sentenceOf(condition),
      level: severity === 'critical' ? activityLevel.error : activityLevel.warning,
      data: { condition: name, since: new Date(since).toISOString(), count, ...details, remedy: remedyOf(condition) },
    });
  };

  /** An integration may have been disabled or deleted while no process heard of it. */
  const reload = async (states: readonly ConditionState[]): Promise<void> => {
    const ids = states.map(({ name, subject }) => integrationOfCondition(name, subject));
    for (const id of new Set(ids)) if (id !== null) await integrations.reload(id);
  };

  const critical = (): string =>
    conditions
      .active()
      .filter(({ name }) => conditionSpec(name).severity === 'critical')
      .map(keyOf)
      .join('\n');

  const share = async (): Promise<void> => {
    sharedAt = clock.monotonic();
    sharedCritical = critical();
    let left: readonly ConditionState[] = [];
    try {
      const at = await storeTime(kv, clock);
      const wrote = await update(reserved, (before) => {
        const made = next(before, at);
        ({ left } = made);
        return made.document;
      });
      if (!wrote) return;
      isFirst = false;
      conditions.takeOver(left);
      void reload(left);
      await state.set(probeKey, instance, { ttlMs: hourMs });
      conditions.clear('store_write_failing', service);
      for (const condition of conditions.active()) await report(condition);
    } catch (error) {
      conditions.set('store_write_failing', service, { reason: toRelayError(error).message });
    }
  };

  await share();
  const isDue = (): boolean => clock.monotonic() - sharedAt >= shareEveryMs || critical() !== sharedCritical;
  const stop = repeat({ clock, everyMs: checkEveryMs }, () => (isDue() ? share() : undefined));
  lifecycle.onStop('shared conditions', async () => {
    await stop();
    await share();
  });
};
