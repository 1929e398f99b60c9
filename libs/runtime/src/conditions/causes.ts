import { conditionSpec, integrationOfCondition } from './catalogue.ts';
import type { ConditionState } from './table.ts';

/** What follows from a fault may be seen before the fault: a probe asks now and then, ms. */
const leadMs = 60_000;

/** Whether a condition tells of a person who may have called for help: shown before all else. */
export const isAboutSos = (condition: string): boolean => condition.startsWith('sos_');

/** Which conditions follow from which. */
export interface Causes {
  /** The condition that another one follows from; undefined when it stands alone. */
  causeOf(state: ConditionState): ConditionState | undefined;
  /** The conditions that follow from one. */
  followersOf(cause: ConditionState): readonly ConditionState[];
  /** Says what follows from a condition; '' when nothing does. `shown`: a subject as people know it. */
  followersText(cause: ConditionState, shown?: (state: ConditionState) => string): string;
}

/** The conditions from which one may follow, the deepest first. */
const causesOf = ({ name, details }: ConditionState): readonly string[] =>
  conditionSpec(name).follows?.from(details) ?? [];

/** Conditions that are set, by name, the oldest first. */
type ByName = ReadonlyMap<string, readonly ConditionState[]>;

/** What is about one integration is no cause of what is about another. */
const mayCause = (cause: ConditionState, state: ConditionState): boolean => {
  const { subject: kind } = conditionSpec(cause.name);
  const integration = integrationOfCondition(state.name, state.subject);
  return kind !== 'integration' || integration === null || cause.subject === integration;
};

const causeAmong = (state: ConditionState, byName: ByName): ConditionState | undefined => {
  const { byOthers } = conditionSpec(state.name).follows ?? {};
  for (const name of causesOf(state)) {
    const [oldest, ...later] = byName.get(name) ?? [];
    // Of several subjects of one fault, the oldest leads.
    if (oldest?.name === state.name) return oldest.subject === state.subject ? undefined : oldest;
    const own = [oldest, ...later].find((each) => each && mayCause(each, state));
    const cause = own ?? (byOthers ? oldest : undefined);
    if (cause && state.since >= cause.since - leadMs) return cause;
  }
  return undefined;
};

/** Finds what follows from what, of the conditions that are set, oldest first. */
export const findCauses = (all: readonly ConditionState[]): Causes => {
  const byName: ByName = Map.groupBy(all, ({ name }) => name);
  /** The first cause of all: what follows from something that follows is told with it too. */
  const causeOf: Causes['causeOf'] = (state) => {
    const cause = causeAmong(state, byName);
    return cause && (causeOf(cause) ?? cause);
  };
  const followers = Map.groupBy(all, causeOf);
  return {
    causeOf,
    followersOf: (cause) => followers.get(cause) ?? [],
    followersText: (cause, shown = ({ subject }) => subject) =>
      [...Map.groupBy(followers.get(cause) ?? [], ({ name }) => name)]
        .toSorted(([a], [b]) => Number(isAboutSos(b)) - Number(isAboutSos(a)))
        .map(([name, states]) => conditionSpec(name).follows?.text([...new Set(states.map(shown))]))
        .join('; '),
  };
};

/** The condition of those that are set that one follows from. For one alone; `findCauses` answers for all of them. */
export const findCause = (state: ConditionState, all: Iterable<ConditionState>): ConditionState | undefined =>
  causesOf(state).length === 0 ? undefined : findCauses([...all].sort((a, b) => a.since - b.since)).causeOf(state);
