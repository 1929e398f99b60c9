import { maxIdsPerCall } from '@ranger-relay/site';
import type { ChangeOf, Done, StepParts } from './parts.ts';

/** The calls that add those of the planned subjects that exist; one that could not be created is left out (site contract, 7). */
export const rosterCalls = (change: ChangeOf<'roster'>, known: ReadonlyMap<string, string>): ChangeOf<'roster'>[] => {
  const subjects = change.subjects.flatMap(({ member, id }) => {
    const there = id ?? known.get(member);
    return there === undefined ? [] : [{ member, id: there }];
  });
  const calls: ChangeOf<'roster'>[] = [];
  for (let from = 0; from < subjects.length; from += maxIdsPerCall)
    calls.push({ ...change, subjects: subjects.slice(from, from + maxIdsPerCall) });
  return calls;
};

/** Adds the subjects of one call. Each call is an entry of its own. */
export const writeRoster = async ({ site, writes }: StepParts, change: ChangeOf<'roster'>): Promise<Done> => {
  const { kind, action, group_id } = change;
  const subject_ids = change.subjects.flatMap(({ id }) => id ?? []);
  await writes.write({ kind, action, group_id, subject_ids }, async () => {
    await site.addToGroup(group_id, subject_ids);
    return null;
  });
  return 'done';
};
