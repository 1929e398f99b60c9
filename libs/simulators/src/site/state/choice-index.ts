import type { Choice } from './records.ts';

/** Finds choices by what they are unique on, and by field. */
export interface ChoiceIndex {
  add(choice: Choice): void;
  remove(choice: Choice): void;
  clear(): void;
  /** Id of the choice with this model, field and value. */
  find(choice: Pick<Choice, 'model' | 'field' | 'value'>): string | undefined;
  /** Every field that somebody has used, with the ids of its choices. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

const keyOf = ({ model, field, value }: Pick<Choice, 'model' | 'field' | 'value'>): string =>
  JSON.stringify([model, field, value]);

/** Makes an index of nothing. */
export const createChoiceIndex = (): ChoiceIndex => {
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
