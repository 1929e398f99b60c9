import type { Random } from '@ranger-relay/runtime';
import type { SiteSimulator, SiteState } from '@ranger-relay/simulators';

type Table = 'types' | 'choices' | 'subjects';

/** One value that the person has set: a member of a row, or a key of its `additional`. */
interface Cell {
  readonly table: Table;
  readonly id: string;
  readonly member: string;
  readonly key?: string;
  readonly value: unknown;
}

/** A person who works on the site's own pages, and remembers what they did. */
export interface Person {
  /** Changes one thing; false when there was nothing to change. */
  edit(): boolean;
  /** What they changed and is there no more. */
  lost(): readonly string[];
  /** Ids of rows that they changed. */
  readonly touched: ReadonlySet<string>;
  /** Names of fields that they added to the form. */
  readonly fields: ReadonlySet<string>;
  /** A row as it would be had they alone changed it. */
  applied<Row extends { readonly id: string }>(table: Table, row: Row): Row;
}

type Form = {
  json: { properties: Record<string, unknown> };
  ui: { fields: Record<string, unknown>; order: string[]; sections: Record<string, unknown> };
};

const withField = (stored: unknown, name: string): Form => {
  const form = structuredClone(stored) as Form;
  form.json.properties[name] = { type: 'string', title: 'Mine', description: '', deprecated: false };
  form.ui.fields[name] = { type: 'TEXT', inputType: 'SHORT_TEXT', parent: `section-${name}` };
  form.ui.order.unshift(`section-${name}`);
  form.ui.sections[`section-${name}`] = {
    label: 'Mine',
    columns: 1,
    isActive: true,
    leftColumn: [{ name, type: 'field' }],
    rightColumn: [],
  };
  return form;
};

const valueOf = (row: object | undefined, { member, key }: Cell): unknown => {
  const value: unknown = row && Reflect.get(row, member);
  return key === undefined ? value : (value as Record<string, unknown> | undefined)?.[key];
};

/** Opens a person at a site. */
export const openPerson = (site: SiteSimulator, { next }: Pick<Random, 'next'>): Person => {
  const cells = new Map<string, Cell>();
  const touched = new Set<string>();
  const fields = new Set<string>();
  let number = 0;
  const pick = <T>(rows: readonly T[]): T | undefined => rows[Math.floor(next() * rows.length)];
  const set = (state: SiteState, cell: Cell): boolean => {
    const row = (state[cell.table] as readonly { readonly id: string }[]).find(({ id }) => id === cell.id);
    if (!row || valueOf(row, cell) === cell.value) return false;
    const { table, id, member, key, value } = cell;
    const whole = key === undefined ? value : { ...(Reflect.get(row, member) as object), [key]: value };
    site.edit(table, id, { [member]: whole });
    cells.set(`${table} ${id} ${member} ${key ?? ''}`, cell);
    touched.add(id);
    return true;
  };
  const editForm = (form: unknown): boolean => {
    if (form === null) return false;
    const name = `mine_${number}`;
    site.seed({ form: withField(form, name) });
    fields.add(name);
    return true;
  };
  return {
    touched,
    fields,
    edit() {
      const state = site.state();
      number += 1;
      const dice = next();
      if (dice < 0.1) return editForm(state.form);
      const table: Table = dice < 0.2 ? 'types' : dice < 0.35 ? 'choices' : 'subjects';
      const row = pick<{ readonly id: string }>(state[table]);
      if (!row) return false;
      const { id } = row;
      if (table !== 'subjects') return set(state, { table, id, member: 'display', value: `Mine ${number}` });
      if (dice < 0.75) return set(state, { table, id, member: 'additional', key: 'phone', value: `${number}` });
      if (dice < 0.92) return set(state, { table, id, member: 'name', value: `Mine ${number}` });
      return set(state, { table, id, member: 'is_active', value: false });
    },
    lost() {
      const state = site.state();
      const names = new Set(Object.keys((state.form as Form | null)?.json.properties ?? {}));
      return [
        ...[...cells.values()].flatMap((cell) => {
          const there = valueOf(
            state[cell.table].find(({ id }) => id === cell.id),
            cell,
          );
          return there === cell.value ? [] : [`${JSON.stringify(cell)}: ${JSON.stringify(there)}`];
        }),
        ...[...fields].filter((name) => !names.has(name)).map((name) => `field ${name}`),
      ];
    },
    applied<Row extends { readonly id: string }>(table: Table, row: Row): Row {
      const changed: Record<string, unknown> = { ...row };
      for (const cell of cells.values()) {
        if (cell.table !== table || cell.id !== row.id) continue;
        changed[cell.member] =
          cell.key === undefined ? cell.value : { ...(changed[cell.member] as object), [cell.key]: cell.value };
      }
      return changed as Row;
    },
  };
};
