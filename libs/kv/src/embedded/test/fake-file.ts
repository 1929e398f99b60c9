import type { SqliteFile, SqlRow, SqlWrite } from '@ranger-relay/sqlite';

/** A file whose answers a test decides. */
export interface FakeFile extends SqliteFile {
  /** Every unit so far. */
  readonly units: (readonly SqlWrite[])[];
  /** What `write` does from now on; it answers no rows by itself. */
  answer: (unit: readonly SqlWrite[]) => Promise<readonly (readonly SqlRow[])[]>;
  /** From now on `alive` says false. */
  die(): void;
  readonly closed: () => boolean;
}

const noRows = async (unit: readonly SqlWrite[]): Promise<readonly (readonly SqlRow[])[]> =>
  unit.flatMap(({ params }) => params.map(() => []));

/** Makes a file that stores nothing. */
export const fakeFile = (): FakeFile => {
  let alive = true;
  let closed = false;
  const units: (readonly SqlWrite[])[] = [];
  return {
    units,
    answer: noRows,
    write(unit) {
      units.push(unit);
      return this.answer(unit);
    },
    read: async () => [],
    alive: () => alive && !closed,
    die() {
      alive = false;
    },
    async close() {
      closed = true;
    },
    closed: () => closed,
  };
};
