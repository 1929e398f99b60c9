import type { Choice, PatrolType, Site, Subject } from '@ranger-relay/site';

/** The site as it was when it was first asked: one look at each list serves all entries, as long as none of them is about the same object. */
export interface Snapshot {
  types(): Promise<readonly PatrolType[]>;
  choices(field: string): Promise<readonly Choice[]>;
  subjects(): Promise<readonly Subject[]>;
}

const once = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => (asked ??= read());
};

/** Makes a snapshot that reads each list when it is first needed. */
export const snapshotOf = (site: Site): Snapshot => {
  const fields = new Map<string, () => Promise<readonly Choice[]>>();
  return {
    types: once(() => site.patrolTypes()),
    subjects: once(() => site.subjects()),
    choices(field) {
      const read = fields.get(field) ?? once(() => site.choices(field));
      fields.set(field, read);
      return read();
    },
  };
};
