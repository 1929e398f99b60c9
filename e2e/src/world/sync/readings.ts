import type { ObservedRequest } from './operator.ts';
import type { Table } from './person.ts';

/** A row, or the form. */
export interface Place {
  readonly table: Table | 'form';
  readonly id: string;
  /** Of a choice. */
  readonly field?: string | undefined;
}

/** What each process has read of the site. */
export interface Readings {
  /** Takes a request of a process as it leaves, and again with its answer; `place`: of a request about one row. */
  note(call: string, request: ObservedRequest, place: Place | undefined): void;
  /** When the process sent the request of its newest list of subjects. */
  listedSubjectsAt(call: string): number | undefined;
  /**
   * Why a process must have known a change that its request replaces; undefined when the change came so shortly before the write that no
   * reading could show it.
   * @param arrivedAt when the request arrived; the site may carry it out much later
   */
  mustKnow(call: string, place: Place, changedAt: number, arrivedAt: number): string | undefined;
}

interface Reading {
  readonly sentAt: number;
  readonly endAt: number;
}

/** How long a process may use a reading, ms; a list also for so many times as long as reading it took. */
const validMs: Readonly<Record<Place['table'], number>> = {
  subjects: 5_000,
  choices: 2_000,
  types: 2_000,
  form: 2_000,
};
const worth = 10;
const maxWorthMs = 30_000;
/** A hold of the client, and the journal. */
const slackMs = 8_000;

/** What the GET of a list reads. */
const scopesOf = (url: string): string[] => {
  const { pathname, searchParams } = new URL(url);
  const ids = searchParams.get('id');
  if (pathname.endsWith('/subjects/'))
    return ids === null ? ['subjects'] : ids.split(',').map((id) => `subjects ${id}`);
  if (pathname.endsWith('/choices/')) return [`choices ${searchParams.get('field') ?? ''}`];
  return pathname.endsWith('/patrols/types/') ? ['types'] : [];
};

const nameOf = ({ table, id }: Place): string => `${table} ${id}`;

/** Starts without readings. */
export const createReadings = (): Readings => {
  /** By process and scope. */
  const readings = new Map<string, Reading[]>();
  const writes = new Map<string, number>();
  const newestOf = (call: string, { table, id, field }: Place, until: number): Reading | undefined =>
    [table, `${table} ${id}`, `${table} ${field ?? ''}`]
      .flatMap((scope) => readings.get(`${call} ${scope}`) ?? [])
      .filter(({ endAt }) => endAt <= until)
      .toSorted((a, b) => b.sentAt - a.sentAt)[0];
  return {
    note(call, { method, url, sentAt, end }, place) {
      if (method === 'OPTIONS') return;
      if (method !== 'GET') return void (place && writes.set(`${call} ${nameOf(place)}`, sentAt));
      if (!end) return;
      for (const scope of place ? [nameOf(place)] : scopesOf(url)) {
        const name = `${call} ${scope}`;
        readings.set(name, [...(readings.get(name) ?? []), { sentAt, endAt: end.at }]);
      }
    },
    listedSubjectsAt: (call) => readings.get(`${call} subjects`)?.at(-1)?.sentAt,
    mustKnow(call, place, changedAt, arrivedAt) {
      const reading = newestOf(call, place, arrivedAt);
      if (!reading) return 'which it had not read';
      if (reading.sentAt >= changedAt) return 'which it had read';
      const took = reading.endAt - reading.sentAt;
      const worthMs = place.table === 'subjects' ? 0 : Math.min(maxWorthMs, worth * took);
      const age = Math.min(writes.get(`${call} ${nameOf(place)}`) ?? arrivedAt, arrivedAt) - reading.sentAt;
      return age > Math.max(validMs[place.table], worthMs) + took + slackMs
        ? `which it had read ${Math.round(age)} ms before`
        : undefined;
    },
  };
};
