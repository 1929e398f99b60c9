import { BoundedMap } from '../async/bounded-map.ts';
import { repeat, type StopRepeating } from '../async/repeat.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { MetricName } from '../metric-list.ts';
import type { Metrics } from '../metrics.ts';
import { findCause, findCauses, isAboutSos } from './causes.ts';
import {
  type ConditionName,
  conditionList,
  conditionSpec,
  integrationOfCondition,
  isConditionName,
} from './catalogue.ts';
import type { Details } from './spec.ts';

/** What is known of one condition and subject. Times in ms since 1970, by the clock of the process that wrote it. */
export interface ConditionState {
  readonly name: ConditionName;
  readonly subject: string;
  /** False once its cause was seen to be gone. */
  readonly active: boolean;
  readonly since: number;
  /** When it was last set or cleared: of two processes, the newer one knows. */
  readonly lastAt: number;
  /** How often the fault was seen. */
  readonly count: number;
  readonly details: Details;
}

/** A condition by its name and subject. */
export type ConditionKey = Pick<ConditionState, 'name' | 'subject'>;

/**
 * The table of what is wrong now, in the memory of one process. A condition holds until its cause is seen to be gone: by the next good
 * request, or by a probe where traffic may have stopped; silence clears nothing, and neither does a restart.
 */
export interface Conditions {
  /**
   * Records that the fault was seen. `subject` is '' for the installation.
   * @param since when the fault began, if that is known; default: now
   */
  set(name: ConditionName, subject: string, details?: Details, since?: number): void;
  /** Records that the cause is gone, and in the log how that was seen; too early after the fault (`quietMs`) it changes nothing. Cheap when the condition is not set. */
  clear(name: ConditionName, subject: string, how?: string): void;
  /**
   * Clears everything about an integration that was deleted or disabled, or about `<integration>/<action>` that has no configuration any more.
   * What is wrong with an integration because it is disabled stays until it is `enabled` or deleted.
   */
  endSubject(subject: string, how: 'deleted' | 'disabled' | 'enabled'): void;
  /**
   * Learns the views of other processes. What one of them saw to be gone ends here, unless it was seen again since: work moves between
   * processes, and the one that set a condition may not meet its subject again. What is set there can be cleared here.
   */
  learn(views: readonly (readonly ConditionState[])[]): void;
  /** Takes over what an ended process held: it holds here until its cause is seen to be gone. */
  takeOver(states: readonly ConditionState[]): void;
  /** The state while it is set. */
  find(name: ConditionName, subject: string): ConditionState | undefined;
  /** Conditions that are set, oldest first. */
  active(): readonly ConditionState[];
  /** Conditions that are set, then those that were cleared, each the latest first: the view of this process, to be merged with others. */
  view(): readonly ConditionState[];
}

/** Dependencies of the table. */
export interface ConditionsDependencies {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly metrics: Pick<Metrics<MetricName>, 'set'>;
  /** Tells this process from others of its service; absent where there are no others. */
  readonly host?: string | undefined;
}

const maxActive = 10_000;
const maxCleared = 1_000;
const remindMs = 60_000;
/** Lines of one reminder, and of the beginnings of one condition in a minute; a line with the number of the others follows. */
const maxReminders = 20;

const keyOf = (name: ConditionName, subject: string): string => `${name} ${subject}`;

const isCritical = ({ name }: ConditionState): boolean => conditionSpec(name).severity === 'critical';

/** The sentence of a condition; `subject` as people know it. */
export const sentenceOf = ({ name, subject, count, details }: ConditionState, shown = subject): string =>
  conditionSpec(name).sentence({ subject: shown, count, details });

/** What to type or to do; a word that ends the condition names its subject. */
export const remedyOf = ({ name, subject }: ConditionKey): string => {
  const dismiss = `--dismiss ${name}`;
  const { remedy } = conditionSpec(name);
  return subject === '' ? remedy : remedy.replace(dismiss, `${dismiss}=${subject}`);
};

/** Creates the table of one process. It logs each change, and once a minute what lasts. */
export const createConditions = ({ clock, log, metrics, host }: ConditionsDependencies): Conditions => {
  const active = new BoundedMap<ConditionState>(maxActive);
  const cleared = new BoundedMap<ConditionState>(maxCleared);
  /** When a line of the key was last written, so that a fault that comes and goes is a line a minute. */
  const writtenAt = new BoundedMap<number>(maxActive);
  /** Beginnings of each condition that were logged in this minute: one cause may be a thousand subjects. */
  const begun = new Map<ConditionName, { readonly since: number; lines: number }>();
  /** Keys whose beginning was logged, so that their end is. */
  const announced = new Set<string>();
  /** Keys that are set in other processes only. */
  let elsewhere = new Map<string, ConditionState>();
  let reminding: StopRepeating | undefined;

  const subjectOf = (name: ConditionName, given: string): string =>
    host !== undefined && conditionSpec(name).subject === 'process' ? `${given}@${host}` : given;

  const measure = (name: ConditionName): void => {
    const subjects = [...active.values()].filter((state) => state.name === name).length;
    metrics.set('relay_active_conditions', subjects, { condition: name, severity: conditionSpec(name).severity });
  };

  const write = (state: ConditionState, more: object = {}): void => {
    const { severity, runbook } = conditionSpec(state.name);
    const remedy = remedyOf(state);
    const { name: condition, subject, count, details } = state;
    writtenAt.set(keyOf(condition, subject), clock.now());
    announced.add(keyOf(condition, subject));
    log[severity === 'critical' ? 'error' : 'warn'](
      { condition, ...(subject === '' ? {} : { subject }), count, ...details, remedy, runbook, ...more },
      sentenceOf(state),
    );
  };

  /** What is not told now is told of when it lasts, at least by number, or with its cause. Each SOS is told by itself. */
  const mayTellBeginning = (state: ConditionState): boolean => {
    const { name } = state;
    if (!isAboutSos(name) && findCause(state, active.values())) return false;
    const now = clock.now();
    const known = begun.get(name);
    const window = known && Math.abs(now - known.since) < remindMs ? known : { since: now, lines: 0 };
    begun.set(name, window);
    window.lines += 1;
    return window.lines <= maxReminders;
  };

  const inOrder = (): readonly ConditionState[] => [...active.values()].sort((a, b) => a.since - b.since);

  const remind = (): void => {
    const held = inOrder();
    const { causeOf, followersText } = findCauses(held);
    const all = held.filter((state) => clock.now() - state.since >= remindMs / 2 && !causeOf(state));
    const worstFirst = [...all.filter(isCritical), ...all.filter((state) => !isCritical(state))];
    for (const state of worstFirst.slice(0, maxReminders)) {
      const follows = followersText(state);
      const lasts_seconds = Math.round((clock.now() - state.since) / 1_000);
      write(state, { lasts_seconds, ...(follows === '' ? {} : { follows }) });
    }
    if (all.length > maxReminders) log.warn({ conditions: all.length - maxReminders }, 'further conditions last');
  };

  const keepReminding = (): void => {
    if (active.size > 0) reminding ??= repeat({ clock, everyMs: remindMs }, remind);
    else if (reminding) {
      void reminding();
      reminding = undefined;
    }
  };

  const end = (key: string, at: number, how: string): void => {
    const state = active.get(key);
    if (!state) return;
    active.delete(key);
    cleared.set(key, { ...state, active: false, lastAt: at });
    measure(state.name);
    keepReminding();
    const { name: condition, subject, since } = state;
    if (!announced.delete(key)) return;
    const seconds = Math.round((clock.now() - since) / 1_000);
    log.warn({ condition, ...(subject === '' ? {} : { subject }), lasted_seconds: seconds, how }, 'a condition ended');
  };

  /** Ends it here, and where it is set in another process. */
  const endEverywhere = (name: ConditionName, subject: string, how: string): void => {
    const key = keyOf(name, subject);
    const now = clock.now();
    end(key, now, how);
    if (elsewhere.delete(key))
      cleared.set(key, { name, subject, active: false, since: now, lastAt: now, count: 0, details: {} });
  };

  for (const name of Object.keys(conditionList)) if (isConditionName(name)) measure(name);

  return {
    set(name, given, details = {}, began) {
      const subject = subjectOf(name, given);
      const key = keyOf(name, subject);
      const before = active.get(key);
      const now = clock.now();
      const state = {
        name,
        subject,
        active: true,
        since: began ?? before?.since ?? now,
        lastAt: now,
        count: (before?.count ?? 0) + 1,
        details,
      };
      active.set(key, state);
      if (before) return;
      cleared.delete(key);
      measure(name);
      if (Math.abs(now - (writtenAt.get(key) ?? -Infinity)) >= remindMs && mayTellBeginning(state)) write(state);
      keepReminding();
    },
    clear(name, given, how = 'its cause is gone') {
      const subject = subjectOf(name, given);
      const key = keyOf(name, subject);
      const { lastAt = -Infinity } = active.get(key) ?? elsewhere.get(key) ?? {};
      const { quietMs = 0 } = conditionSpec(name);
      if (Math.abs(clock.now() - lastAt) >= quietMs) endEverywhere(name, subject, how);
    },
    endSubject(ended, how) {
      for (const { name, subject } of [...active.values(), ...elsewhere.values()]) {
        const isOf = subject === ended || subject.startsWith(`${ended}/`);
        if (!isOf || integrationOfCondition(name, subject) === null) continue;
        const { whileDisabled = false } = conditionSpec(name);
        if (how === 'deleted' || whileDisabled === (how === 'enabled'))
          endEverywhere(name, subject, `its subject was ${how}`);
      }
    },
    learn(views) {
      elsewhere = new Map();
      for (const state of views.flat()) {
        const { name, subject, active: isSet, lastAt } = state;
        const key = keyOf(name, subject);
        const own = active.get(key);
        if (isSet && !own) elsewhere.set(key, state);
        if (!isSet && own && own.lastAt <= lastAt)
          end(key, lastAt, 'another process saw its cause gone, or a person dismissed it');
      }
    },
    takeOver(states) {
      for (const state of states) {
        const key = keyOf(state.name, state.subject);
        const own = active.get(key);
        if ((cleared.get(key)?.lastAt ?? -Infinity) >= state.lastAt) continue;
        elsewhere.delete(key);
        const since = Math.min(state.since, own?.since ?? Infinity);
        active.set(key, own ? { ...own, since, count: own.count + state.count } : state);
        measure(state.name);
        if (!own && mayTellBeginning(state)) write(state, { lasts_seconds: Math.round((clock.now() - since) / 1_000) });
      }
      keepReminding();
    },
    find: (name, given) => active.get(keyOf(name, subjectOf(name, given))),
    active: inOrder,
    view: () => [...[...active.values()].toReversed(), ...[...cleared.values()].toReversed()],
  };
};

/**
 * Merges the views of several processes: of one condition and subject, the newest set or clear wins. What is set began when the first of the
 * processes saw it after the newest clear.
 */
export const mergeConditions = (views: readonly (readonly ConditionState[])[]): readonly ConditionState[] => {
  const byKey = Map.groupBy(views.flat(), ({ name, subject }) => keyOf(name, subject));
  const merged = [...byKey.values()].flatMap((states) => {
    const newest = states.reduce((a, b) => (b.lastAt > a.lastAt || (b.lastAt === a.lastAt && !b.active) ? b : a));
    if (!newest.active) return [];
    const clearedAt = Math.max(-Infinity, ...states.filter((state) => !state.active).map(({ lastAt }) => lastAt));
    // A process sees its own table and its shared view of it: what began at the same time is one and the same.
    const holding = [
      ...new Map(
        states
          .filter((state) => state.active && state.lastAt > clearedAt)
          .toSorted((a, b) => a.lastAt - b.lastAt)
          .map((state) => [state.since, state]),
      ).values(),
    ];
    return [
      {
        ...newest,
        since: Math.min(...holding.map(({ since }) => since)),
        count: holding.reduce((sum, { count }) => sum + count, 0),
      },
    ];
  });
  return merged.sort((a, b) => a.since - b.since);
};

/** A question whose answer sets or clears a condition by itself, also when there is no traffic. */
export interface Probe extends ConditionKey {
  readonly everyMs: number;
  /** Asked only while the condition is set: without it, traffic shows whether all is well. */
  readonly whileSet?: boolean;
  /** Resolves to the details of the fault, null when all is well, undefined when it could not be asked. Must not reject. */
  readonly ask: () => Promise<Details | null | undefined> | Details | null | undefined;
}

/** Asks a probe regularly until stopped. */
export const runProbe = (
  { clock, conditions }: { readonly clock: Pick<Clock, 'after'>; readonly conditions: Conditions },
  { name, subject, everyMs, whileSet = false, ask }: Probe,
): StopRepeating =>
  repeat({ clock, everyMs }, async () => {
    if (whileSet && !conditions.find(name, subject)) return;
    const found = await ask();
    if (found === null) conditions.clear(name, subject);
    else if (found !== undefined) conditions.set(name, subject, found);
  });
