import { conditionSpec } from './catalogue.ts';
import type { ConditionState } from './table.ts';

/** What follows from a fault may be seen before the fault: a probe asks now and then, ms. */
const leadMs = 60_000;

/** The condition that another one follows from, if it holds. `all`: conditions that are set, oldest first. */
export const causeOf = (state: ConditionState, all: readonly ConditionState[]): ConditionState | undefined => {
  const { follows } = conditionSpec(state.name);
  for (const name of follows?.from(state.details) ?? []) {
    const cause = all.find((each) => each.name === name);
    // Of several subjects of one fault, the oldest leads.
    if (cause?.name === state.name) return cause.subject === state.subject ? undefined : cause;
    if (cause && state.since >= cause.since - leadMs) return cause;
  }
  return undefined;
};

/** Says what follows from a condition; '' when nothing does. `shown`: a subject as people know it. */
export const followersText = (
  cause: ConditionState,
  all: readonly ConditionState[],
  shown: (state: ConditionState) => string = ({ subject }) => subject,
): string => {
  const followers = all.filter((each) => causeOf(each, all) === cause);
  return [...Map.groupBy(followers, ({ name }) => name)]
    .map(([name, states]) => conditionSpec(name).follows?.text(states.map(shown)))
    .join('; ');
};
