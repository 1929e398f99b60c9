import { existsSync } from 'node:fs';
import { fileJournal, replacedJournal } from '../../journal/file-journal.ts';
import { parseExact } from '../../json.ts';
import { type Choice, type Group, type TableName, tableNames, type Tables } from './records.ts';
import { type Change, changesOf, emptySettings, type Settings, type SiteState } from './state.ts';

/** Finds choices by what they are unique on, and by field. */
interface ChoiceIndex {
  add(choice: Choice): void;
  remove(choice: Choice): void;
  clear(): void;
  /** Id of the choice with this model, field and value. */
  find(choice: Pick<Choice, 'model' | 'field' | 'value'>): string | undefined;
  /** Every used field, with the ids of its choices. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

const keyOf = ({ model, field, value }: Pick<Choice, 'model' | 'field' | 'value'>): string =>
  JSON.stringify([model, field, value]);

/** Makes an index of nothing. */
const createChoiceIndex = (): ChoiceIndex => {
  const ids = new Map<string, string>();
  const fields = new Map<string, Set<string>>();
  return {
    fields,
    find: (choice) => ids.get(keyOf(choice)),
    add(choice) {
      ids.set(keyOf(choice), choice.id);
      const used = fields.get(choice.field) ?? new Set();
      fields.set(choice.field, used.add(choice.id));
    },
    remove(choice) {
      if (ids.get(keyOf(choice)) === choice.id) ids.delete(keyOf(choice));
      const used = fields.get(choice.field);
      used?.delete(choice.id);
      if (used?.size === 0) fields.delete(choice.field);
    },
    clear() {
      ids.clear();
      fields.clear();
    },
  };
};

type Rows = { readonly [Name in TableName]: ReadonlyMap<string, Tables[Name]> };

/** The state as requests read it. */
interface Memory extends Rows {
  readonly settings: Settings;
  readonly choiceIndex: Omit<ChoiceIndex, 'add' | 'remove' | 'clear'>;
  /** Ids of a group's direct members; the `subjects` of its record are those it started with. */
  members(group: string): ReadonlySet<string>;
  dump(): SiteState;
}

/** Makes an empty state and the one function that changes it. */
const createMemory = (): { readonly memory: Memory; readonly change: (change: Change) => void } => {
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
      ...(Object.fromEntries(tableNames.map((name) => [name, [...tables[name].values()]])) as unknown as Omit<
        SiteState,
        keyof Settings
      >),
      groups: [...rows.groups.values()].map(withMembers),
    }),
  };
  return { memory, change };
};

/** The state of a site; with a file, what was applied survives a kill. */
export interface SiteStore extends Memory {
  /** Makes changes, all of them or, after a kill in between, none. */
  apply(...changes: readonly Change[]): void;
  /** Replaces the tables and settings that are given. */
  load(state: Partial<SiteState>): void;
  close(): void;
}

/** Changes in one line when there are many, as when a whole state is loaded. */
const perLine = 1_000;

const linesOf = (changes: readonly Change[]): string[] => {
  const lines: string[] = [];
  for (let from = 0; from < changes.length; from += perLine)
    lines.push(JSON.stringify(changes.slice(from, from + perLine)));
  return lines;
};

/**
 * Opens a store. A file that exists decides what is in it; else it begins with `start`. The file is a list of changes, one array a line,
 * of which a torn last one is dropped.
 */
export const openStore = (start: () => Partial<SiteState>, path?: string): SiteStore => {
  const { memory, change } = createMemory();
  if (path !== undefined && existsSync(path))
    fileJournal(path, (line) => (parseExact(line) as Change[]).forEach(change)).close();
  else changesOf(start()).forEach(change);
  const journal = path === undefined ? undefined : replacedJournal(path, linesOf(changesOf(memory.dump())));
  const write = (changes: readonly Change[]): void => {
    journal?.append(linesOf(changes));
    changes.forEach(change);
  };
  return Object.assign(memory, {
    apply: (...changes: readonly Change[]) => write(changes),
    load: (state: Partial<SiteState>) => write(changesOf(state)),
    close: () => journal?.close(),
  });
};
