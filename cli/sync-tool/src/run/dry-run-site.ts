import type { PlannedChange } from '@ranger-relay/contracts';
import { type FormDocument, identityOf, type Site, type Subject, subjectKeys } from '@ranger-relay/site';

type Row = { readonly id: string };

/** Rows with the changes that were made to them, null for a deleted one, and the rows that were created. */
const changedRows = <T extends Row>() => {
  const changes = new Map<string, object | null>();
  const created: T[] = [];
  return {
    show: (rows: readonly T[], isAsked: (row: T) => boolean = () => true): T[] =>
      [...rows, ...created.filter(isAsked)].flatMap((row) => {
        const change = changes.get(row.id);
        return change === null ? [] : [{ ...row, ...change }];
      }),
    create: (row: T): void => void created.push(row),
    patch: async ({ id }: Row, changed: object): Promise<void> =>
      void changes.set(id, { ...changes.get(id), ...changed }),
    delete: async (id: string): Promise<void> => void changes.set(id, null),
    changed: (): ReadonlySet<string> => new Set([...changes.keys(), ...created.map(({ id }) => id)]),
  };
};

/** Members that groups got and lost. */
const changedGroups = () => {
  const [added, removed] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()];
  const move = (to: typeof added, from: typeof added, group: string, ids: readonly string[]): void => {
    to.set(group, new Set([...(to.get(group) ?? []), ...ids]));
    for (const id of ids) from.get(group)?.delete(id);
  };
  return {
    added,
    membersOf: (group: string, ids: readonly string[]): string[] =>
      [...new Set([...ids, ...(added.get(group) ?? [])])].filter((id) => !removed.get(group)?.has(id)),
    add: async (group: string, ids: readonly string[]): Promise<void> => move(added, removed, group, ids),
    remove: async (group: string, ids: readonly string[]): Promise<void> => move(removed, added, group, ids),
  };
};

const memoryOf = () => ({
  types: changedRows<Awaited<ReturnType<Site['patrolTypes']>>[number]>(),
  choices: changedRows<Awaited<ReturnType<Site['choices']>>[number]>(),
  subjects: changedRows<Subject>(),
  groups: changedGroups(),
  form: undefined as FormDocument | undefined,
});

type Memory = ReturnType<typeof memoryOf>;

const over = (its: Site, memory: Memory): Site => {
  const { types, choices, subjects, groups } = memory;
  const site: Site = {
    ...its,
    withWord: (word) => over(its.withWord(word), memory),
    patrolTypes: async (onUnreadable) => types.show(await its.patrolTypes(onUnreadable)),
    async patrolType(value) {
      const found = await its.patrolType(value);
      return types.show(found ? [found] : [], (type) => type.value === value)[0];
    },
    patchPatrolType: types.patch,
    deletePatrolType: ({ id }) => types.delete(id),
    choices: async (field, ...more) => choices.show(await its.choices(field, ...more), (each) => each.field === field),
    patchChoice: choices.patch,
    form: async () => memory.form ?? its.form(),
    writeForm: async (document) => void (memory.form = document),
    subjects: async (...from) => subjects.show(await its.subjects(...from)),
    subjectsById: async (ids) => subjects.show(await its.subjectsById(ids), ({ id }) => ids.includes(id)),
    async subjectsOfGroup(group) {
      const members = await its.subjectsOfGroup(group);
      if (!groups.added.has(group)) return subjects.show(members, () => false);
      const ids = new Set(
        groups.membersOf(
          group,
          members.map(({ id }) => id),
        ),
      );
      return subjects.show(await its.subjects()).filter(({ id }) => ids.has(id));
    },
    async patrolMembers() {
      const listed = await its.patrolMembers();
      const touched = new Set([...subjects.changed(), ...[...groups.added.values()].flatMap((ids) => Array.from(ids))]);
      if (listed === null || touched.size === 0) return listed;
      const members = new Set(listed);
      // The site lists the active members of its groups.
      for (const { id: group } of (await its.memberGroups()) ?? [])
        for (const { id, is_active: isActive } of await site.subjectsOfGroup(group))
          if (isActive && touched.has(id)) members.add(id);
      return [...members];
    },
    patchSubject: subjects.patch,
    deleteSubject: subjects.delete,
    groupMembers: async (group) => groups.membersOf(group, await its.groupMembers(group)),
    addToGroup: groups.add,
    removeFromGroup: groups.remove,
  };
  return site;
};

/**
 * A site that keeps in memory what an undo writes, and shows it from then on: a dry run takes the entries that it has already gone through
 * into account, as the undo does. An undo creates nothing, so that those calls are the site's own.
 */
export const dryRunSite = (site: Site): Site => over(site, memoryOf());

/**
 * A site that shows what a plan would leave, in memory: what a dry run says of the import is what the run says after it.
 * @param word the word of the plan, under which `site` reads subjects
 */
export const plannedSite = async (site: Site, changes: readonly PlannedChange[], word: string): Promise<Site> => {
  const memory = memoryOf();
  const { types, choices, subjects, groups } = memory;
  const keys = subjectKeys(word);
  const withIdentity = <T extends { readonly additional?: Subject['additional'] | undefined }>(written: T) =>
    written.additional ? { ...written, identity: identityOf(written.additional, keys) } : written;
  for (const [at, change] of changes.entries()) {
    const id = `planned ${at}`;
    switch (change.kind) {
      case 'patrol_type':
        if (change.action === 'created') types.create({ id, ...change.written });
        else await types.patch(change, change.written);
        break;
      case 'universal_patrol_fields':
        memory.form = change.written as unknown as FormDocument;
        break;
      case 'choice':
        if (change.action === 'created')
          choices.create({ id, field: change.field, value: change.value, ...change.written });
        else await choices.patch(change, change.written);
        break;
      case 'subject':
        if (change.action === 'created')
          subjects.create({
            ...change.written,
            id: change.member,
            identity: identityOf(change.written.additional, keys),
          });
        else await subjects.patch(change, withIdentity(change.written));
        break;
      case 'roster':
        await groups.add(
          change.group_id,
          change.subjects.map(({ id: known, member }) => known ?? member),
        );
    }
  }
  return over(site, memory);
};
