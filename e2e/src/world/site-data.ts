import type { Random } from '@ranger-relay/runtime';
import type { SiteSimulator } from '@ranger-relay/simulators';
import type { Simulation } from './simulation.ts';
import type { Truth } from './truth.ts';

/** The integration that pulls from the site. */
export const siteIntegration = 'aaaaaaaa-0000-4000-8000-000000000000';

const dayMs = 86_400_000;

/** How many come at once: mostly one, sometimes more than fit on a page, as when a phone syncs in camp. */
const countOf = (random: Random): number => (random.next() < 0.02 ? 130 : 1);

const iso = (ms: number): string => new Date(ms).toISOString();

const sourceId = (n: number): string => `5000000${n}-0000-4000-8000-000000000000`;
/** The site's sources. */
export const siteSources = Array.from({ length: 5 }, (_, n) => ({ id: sourceId(n), manufacturer_id: `COLLAR-${n}` }));

interface SiteData {
  readonly simulation: Simulation;
  readonly site: SiteSimulator;
  readonly truth: Truth;
}

/** Observations of the site: they come late, some much later than they were recorded, and commit out of order. */
export const createRows = ({ simulation, site, truth }: SiteData, random: Random) => {
  const { clock } = simulation;
  let rows = 0;
  const taken = new Set<string>();
  /** A site keeps one observation a source and second. */
  const freeSecond = (source: number, ms: number): number => {
    let second = Math.floor(ms / 1_000);
    while (taken.has(`${source} ${second}`)) second -= 1;
    taken.add(`${source} ${second}`);
    return second * 1_000;
  };
  const add = (recordedAt: number): void => {
    rows += 1;
    const source = rows % 5;
    const at = freeSecond(source, recordedAt);
    const commitMs = random.next() < 0.2 ? Math.floor(random.next() * 60_000) : 0;
    const row = {
      id: `3${String(rows).padStart(7, '0')}-0000-4000-8000-000000000000`,
      recorded_at: iso(at),
      source: sourceId(source),
      location: { longitude: 36, latitude: -1 },
    };
    site.arrive({ observations: [row] }, { commitMs });
    const owed = {
      integration: siteIntegration,
      source: `COLLAR-${source}`,
      at,
      order: null,
      sos: false,
      says: '-1 36',
    } as const;
    truth.owe([{ ...owed, kind: 'observation' }]);
  };
  return {
    count: () => rows,
    add(): void {
      const recordedAt = clock.now() - Math.floor(random.next() ** 4 * 3 * dayMs);
      // All devices report at the same seconds.
      for (let left = countOf(random); left > 0; left -= 1) add(recordedAt);
    },
  };
};

/** Events of the site, which people write and edit, several times in a minute when they are at it. */
export const createReports = ({ simulation, site, truth }: SiteData, random: Random) => {
  const { clock } = simulation;
  /** `freeAt`: when the transaction of the last change has committed; until then nobody else can change the report. */
  const reports: { readonly id: string; readonly time: string; version: number; freeAt: number }[] = [];
  const show = (n: number): void => {
    const entry = reports[n] as (typeof reports)[number];
    const { id, time, version } = entry;
    const report = `report ${n}`;
    // People close a report and open it again.
    const state = version % 2 === (n % 3 === 0 ? 1 : 0) ? 'resolved' : 'active';
    const priority = ((n + version) % 4) * 100;
    const notes = Array.from({ length: version + (n % 3) - 1 }, (_, of) => ({ id: `${report} note ${of}`, text: 'x' }));
    const content = { event_type: 'sighting', state, priority, notes, location: null, serial_number: n };
    const commitMs = random.next() < 0.2 ? Math.floor(random.next() * 60_000) : 0;
    const event = { id, time, title: `${report} version ${version}`, ...content };
    entry.freeAt = clock.now() + commitMs;
    site.arrive({ events: [event] }, { commitMs });
    const owed = {
      integration: siteIntegration,
      source: report,
      at: version,
      order: null,
      sos: false,
      says: JSON.stringify([state, priority, notes.map(({ id: note }) => note).sort()]),
    } as const;
    truth.owe([{ ...owed, kind: 'event' }]);
  };
  return {
    count: () => reports.reduce((sum, { version }) => sum + version, 0),
    add(): void {
      const known = random.next() < 0.5 ? Math.floor(random.next() * reports.length) : -1;
      const entry = reports[known];
      if (entry && entry.freeAt < clock.now()) {
        entry.version += 1;
        return show(known);
      }
      for (let left = countOf(random); left > 0; left -= 1) {
        const id = `4${String(reports.length).padStart(7, '0')}-0000-4000-8000-000000000000`;
        const lateMs = Math.floor(random.next() ** 4 * 3 * dayMs);
        reports.push({ id, time: iso(clock.now() - lateMs), version: 1, freeAt: 0 });
        show(reports.length - 1);
      }
    },
  };
};
