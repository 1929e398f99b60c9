import type { ChangeOf, Done, StepParts } from './parts.ts';

/** Most subjects in one call (site contract, 7). */
const mostAtOnce = 100;

/** Adds those of the planned subjects that exist; one that could not be created is left out. Each call is an entry of its own. */
export const writeRoster = async ({ site, writes, subjects }: StepParts, change: ChangeOf<'roster'>): Promise<Done> => {
  const { kind, action, group_id } = change;
  const ids = change.subjects.flatMap(({ member, id }) => id ?? subjects.get(member) ?? []);
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    const subject_ids = ids.slice(from, from + mostAtOnce);
    await writes.write({ kind, action, group_id, subject_ids }, async () => {
      await site.addToGroup(group_id, subject_ids);
      return null;
    });
  }
  return 'done';
};
