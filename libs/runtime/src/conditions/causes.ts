import { conditionSpec } from './catalogue.ts';
import type { ConditionState } from './table.ts';

/** What follows from a fault may be seen before the fault: a probe asks now and then, ms. */
const leadMs = 60_000;

/** Which conditions follow from which. */
export interface Causes {
  /** The condition that another one follows from; undefined when it stands alone. */
  causeOf(state: ConditionState): ConditionState | undefined;
  /** Says what follows from a condition; '' when nothing does. `shown`: a subject as people know it. */
  followersText(cause: ConditionState, shown?: (state: ConditionState) => string): string;
}

/** The conditions from which one may follow, the deepest first. */
const causesOf = ({ name, details }: ConditionState): readonly string[] =>
  conditionSpec(name).follows?.from(details) ?? [];

/** @param oldest of the conditions that are set, by name */
const causeAmong = (state: ConditionState, oldest: ReadonlyMap<string, ConditionState>): ConditionState | undefined => {
  for (const name of causesOf(state)) {
    const cause = oldest.get(name);
    // Of several subjects of one fault, the oldest leads.
    if (cause?.name === state.name) return cause.subject === state.subject ? undefined : cause;
    if (cause && state.since >= cause.since - leadMs) return cause;
  }
  return undefined;
};

/** The condition of those that are set that one follows from. For one alone; `findCauses` answers for all of them. */
export const findCause = (state: ConditionState, all: Iterable<ConditionState>): ConditionState | undefined => {
  const names = causesOf(state);
  if (names.length === 0) return undefined;
  const oldest = new Map<string, ConditionState>();
  for (const each of all)
    if (names.includes(each.name) && each.since < (oldest.get(each.name)?.since ?? Infinity))
      oldest.set(each.name, each);
  return causeAmong(state, oldest);
};

/** Finds what follows from what, of the conditions that are set, oldest first. */
export const findCauses = (all: readonly ConditionState[]): Causes => {
  const oldest = new Map(all.toReversed().map((state) => [state.name as string, state]));
  const causeOf: Causes['causeOf'] = (state) => causeAmong(state, oldest);
  const followers = Map.groupBy(all, causeOf);
  return {
    causeOf,
    followersText: (cause, shown = ({ subject }) => subject) =>
      [...Map.groupBy(followers.get(cause) ?? [], ({ name }) => name)]
        .map(([name, states]) => conditionSpec(name).follows?.text([...new Set(states.map(shown))]))
        .join('; '),
  };
};
