import { createChoiceIndex, type ChoiceIndex } from './choice-index.ts';
import { tableNames, type Group, type TableName, type Tables } from './records.ts';
import { emptySettings, type Change, type Settings, type SiteState } from './state.ts';

type Rows = { readonly [Name in TableName]: ReadonlyMap<string, Tables[Name]> };

/** The state as requests read it. */
export interface Memory extends Rows {
  readonly settings: Settings;
  readonly choiceIndex: Omit<ChoiceIndex, 'add' | 'remove' | 'clear'>;
  /** Ids of a group's direct members; the `subjects` of its record are those it started with. */
  members(group: string): ReadonlySet<string>;
  dump(): SiteState;
}

/** Makes an empty state and the one function that changes it. */
export const createMemory = (): { readonly memory: Memory; readonly change: (change: Change) => void } => {
  const tables = Object.fromEntries(tableNames.map((name) => [name, new Map()])) as Record<
    TableName,
    Map<string, Tables[TableName]>
  >;
  const rows = tables as unknown as Rows;
  const members = new Map<string, Set<string>>();
  const choiceIndex = createChoiceIndex();
  let settings = emptySettings;

  const drop = (table: TableName, id: string): void => {
    const choice = table === 'choices' ? rows.choices.get(id) : undefined;
    if (choice) choiceIndex.remove(choice);
    tables[table].delete(id);
    if (table === 'groups') members.delete(id);
    if (table === 'subjects') for (const group of members.values()) group.delete(id);
  };
  const put = (table: TableName, record: Tables[TableName]): void => {
    const before = table === 'choices' ? rows.choices.get(record.id) : undefined;
    if (before) choiceIndex.remove(before);
    tables[table].set(record.id, record);
    if (table === 'choices') choiceIndex.add(record as Tables['choices']);
    if (table === 'groups') members.set(record.id, new Set((record as Group).subjects));
  };
  const clear = (table: TableName): void => {
    tables[table].clear();
    if (table === 'choices') choiceIndex.clear();
    if (table === 'groups') members.clear();
  };

  const change = (change: Change): void => {
    if ('put' in change) put(change.put, change.record);
    else if ('set' in change) settings = { ...settings, [change.set]: change.value };
    else if ('remove' in change) drop(change.remove, change.id);
    else if ('clear' in change) clear(change.clear);
    else if ('join' in change) for (const id of change.subjects) members.get(change.join)?.add(id);
    else for (const id of change.subjects) members.get(change.leave)?.delete(id);
  };

  const withMembers = (group: Group): Group => ({ ...group, subjects: [...(members.get(group.id) ?? [])] });

  const memory: Memory = {
    ...rows,
    get settings() {
      return settings;
    },
    choiceIndex,
    members: (group) => members.get(group) ?? new Set(),
    dump: () => ({
      ...settings,
      types: [...rows.types.values()],
      patrols: [...rows.patrols.values()],
      choices: [...rows.choices.values()],
      subjects: [...rows.subjects.values()],
      groups: [...rows.groups.values()].map(withMembers),
      tokens: [...rows.tokens.values()],
    }),
  };
  return { memory, change };
};
