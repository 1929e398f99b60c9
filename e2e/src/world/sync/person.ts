import type { Random } from '@ranger-relay/runtime';
import type { SiteSimulator, SiteState } from '@ranger-relay/simulators';

/** Tables whose rows a person edits and the sync writes. */
export const tables = ['types', 'choices', 'subjects'] as const;
export type Table = (typeof tables)[number];

/** One value: a member of a row, or a key of its `additional`. */
export interface Cell {
  readonly table: Table;
  readonly id: string;
  readonly member: string;
  readonly key: string | null;
}

/** A person who works on the site's own pages. */
export interface Person {
  /** Changes one thing; undefined when there was nothing to change. */
  edit(): { readonly cell: Cell; readonly value: unknown } | { readonly field: string } | undefined;
  /** A sync went over a change before it could have seen it: the change is lost. */
  forget(cell: Cell): void;
  forgetField(name: string): void;
  /** The changes that the site no longer shows; without a cell: a field of the form. */
  lost(): readonly { readonly cell: Cell | null; readonly what: string }[];
  /** The values of a row that are still the person's. */
  cellsOf(id: string): readonly Cell[];
  /** Ids of rows that the person changed. */
  readonly touched: ReadonlySet<string>;
  /** A row as it would be had the person alone changed it; what they lost is as it is now. */
  applied<Row extends { readonly id: string }>(table: Table, row: Row, now: Row): Row;
}

/** A stored form, as far as the person changes it. */
export interface StoredForm {
  readonly json: { readonly properties: Record<string, unknown> };
  readonly ui: { fields: Record<string, unknown>; order: string[]; sections: Record<string, unknown> };
}

export const nameOfCell = ({ table, id, member, key }: Cell): string => `${table} ${id} ${member} ${key ?? ''}`;

const withField = (stored: unknown, name: string): StoredForm => {
  const form = structuredClone(stored) as StoredForm;
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

/** The value of a cell in its row. */
export const valueOf = (row: object | undefined, { member, key }: Cell): unknown => {
  const value: unknown = row && Reflect.get(row, member);
  return key === null ? value : (value as Record<string, unknown> | undefined)?.[key];
};

const withValue = (row: object, { member, key }: Cell, value: unknown): unknown =>
  key === null ? value : { ...(Reflect.get(row, member) as object), [key]: value };

/** Opens a person at a site. */
export const openPerson = (site: SiteSimulator, { next }: Random): Person => {
  const changes = new Map<string, { readonly cell: Cell; readonly value: unknown }>();
  const touched = new Set<string>();
  const forgotten = new Map<string, Cell>();
  const fields = new Set<string>();
  let number = 0;
  const rowOf = (state: SiteState, { table, id }: Cell): object | undefined =>
    (state[table] as readonly { readonly id: string }[]).find((row) => row.id === id);
  const set = (cell: Cell, value: unknown): ReturnType<Person['edit']> => {
    const row = rowOf(site.state(), cell);
    if (!row || valueOf(row, cell) === value) return undefined;
    site.edit(cell.table, cell.id, { [cell.member]: withValue(row, cell, value) });
    changes.set(nameOfCell(cell), { cell, value });
    touched.add(cell.id);
    return { cell, value };
  };
  return {
    touched,
    edit() {
      const state = site.state();
      number += 1;
      const dice = next();
      if (dice < 0.1) {
        if (state.form === null) return undefined;
        const field = `mine_${number}`;
        site.seed({ form: withField(state.form, field) });
        fields.add(field);
        return { field };
      }
      const table: Table = dice < 0.2 ? 'types' : dice < 0.4 ? 'choices' : 'subjects';
      const rows: readonly { readonly id: string }[] = state[table];
      const id = rows[Math.floor(next() * rows.length)]?.id;
      if (id === undefined) return undefined;
      if (table !== 'subjects') return set({ table, id, member: 'display', key: null }, `Mine ${number}`);
      if (dice < 0.7) return set({ table, id, member: 'additional', key: 'phone' }, `${number}`);
      if (dice < 0.95) return set({ table, id, member: 'name', key: null }, `Mine ${number}`);
      return set({ table, id, member: 'is_active', key: null }, false);
    },
    forget(cell) {
      changes.delete(nameOfCell(cell));
      forgotten.set(nameOfCell(cell), cell);
    },
    cellsOf: (id) => [...changes.values()].flatMap(({ cell }) => (cell.id === id ? [cell] : [])),
    forgetField: (name) => void fields.delete(name),
    lost() {
      const state = site.state();
      const names = new Set(Object.keys((state.form as StoredForm | null)?.json.properties ?? {}));
      const cells = [...changes.values()].flatMap(({ cell, value }) => {
        const there = valueOf(rowOf(state, cell), cell);
        return there === value
          ? []
          : [{ cell, what: `${nameOfCell(cell)}: ${JSON.stringify(value)} is ${JSON.stringify(there)}` }];
      });
      const gone = [...fields].filter((name) => !names.has(name));
      return [...cells, ...gone.map((name) => ({ cell: null, what: `field ${name} is gone` }))];
    },
    applied<Row extends { readonly id: string }>(table: Table, row: Row, now: Row): Row {
      const changed: Record<string, unknown> = { ...row };
      const lost = [...forgotten.values()].map((cell) => ({ cell, value: valueOf(now, cell) }));
      for (const { cell, value } of [...lost, ...changes.values()])
        if (cell.table === table && cell.id === row.id) changed[cell.member] = withValue(changed, cell, value);
      return changed as Row;
    },
  };
};
