import type { FormDocument, Site } from '@ranger-relay/site';

type Row = { readonly id: string };

/** Rows with the changes that were made to them; null for a deleted one. */
const changedRows = () => {
  const changes = new Map<string, object | null>();
  return {
    show: <T extends Row>(rows: readonly T[]): T[] =>
      rows.flatMap((row) => {
        const change = changes.get(row.id);
        return change === null ? [] : [{ ...row, ...change }];
      }),
    patch: async ({ id }: Row, changed: object): Promise<void> =>
      void changes.set(id, { ...changes.get(id), ...changed }),
    delete: async (id: string): Promise<void> => void changes.set(id, null),
  };
};

/**
 * A site that keeps in memory what an undo writes, and shows it from then on: a dry run takes the entries that it has already gone through
 * into account, as the undo does. An undo creates nothing, so that those calls are the site's own.
 */
export const dryRunSite = (site: Site): Site => {
  const [types, choices, subjects] = [changedRows(), changedRows(), changedRows()];
  const removed = new Map<string, Set<string>>();
  let written: FormDocument | undefined;
  const over = (its: Site): Site => ({
    ...its,
    withWord: (word) => over(its.withWord(word)),
    patrolTypes: async (onUnreadable) => types.show(await its.patrolTypes(onUnreadable)),
    async patrolType(value) {
      const found = await its.patrolType(value);
      return found && types.show([found])[0];
    },
    patchPatrolType: types.patch,
    deletePatrolType: ({ id }) => types.delete(id),
    choices: async (...from) => choices.show(await its.choices(...from)),
    patchChoice: choices.patch,
    form: async () => written ?? its.form(),
    writeForm: async (document) => void (written = document),
    subjects: async (...from) => subjects.show(await its.subjects(...from)),
    subjectsById: async (ids) => subjects.show(await its.subjectsById(ids)),
    patchSubject: subjects.patch,
    deleteSubject: subjects.delete,
    groupMembers: async (group) => (await its.groupMembers(group)).filter((id) => !removed.get(group)?.has(id)),
    removeFromGroup: async (group, ids) => void removed.set(group, new Set([...(removed.get(group) ?? []), ...ids])),
  });
  return over(site);
};
