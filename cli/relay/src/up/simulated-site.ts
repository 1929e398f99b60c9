import type { Context } from '@ranger-relay/runtime';
import { freshSite, type Seed, simulatorClock } from '@ranger-relay/simulators';
import type { DataDir } from '../data-dir/index.ts';

/** A simulated site whose vehicles move on, for scheduled pulls. */
export interface SimulatedSite {
  readonly url: string;
  readonly token: string;
}

const everyMs = 30_000;
const roundMs = 30 * 86_400_000;

const vehicles = [
  { source: '5e0c0000-0000-4000-8000-000000000001', tracker: 'collar-17', name: 'Patrol car 17' },
  { source: '5e0c0000-0000-4000-8000-000000000002', tracker: 'collar-23', name: 'Patrol boat 23' },
] as const;

const subjectOf = (source: string): string => source.replace('5e0c', '5b0c');

/**
 * A fix every half a minute, in turn of each vehicle. Numbers of fixes count from the start of a month of thirty days: another start of the
 * process tells of the same fixes under the same ids.
 */
const movements = (now: number): Pick<Seed, 'sources' | 'subjects' | 'subjectSources' | 'volume'> => {
  const start = Math.floor(now / roundMs) * roundMs;
  const [begin, end] = [start, start + 2 * roundMs].map((ms) => new Date(ms).toISOString());
  return {
    sources: vehicles.map(({ source, tracker }) => ({ id: source, manufacturer_id: tracker })),
    subjects: vehicles.map(({ source, name }) => ({ id: subjectOf(source), name, subject_type: 'vehicle' })),
    subjectSources: vehicles.map(({ source }) => ({
      source,
      subject: subjectOf(source),
      assigned_range: { lower: '2020-01-01T00:00:00Z', upper: null },
    })),
    // Some come through a valley first.
    volume: { count: (2 * roundMs) / everyMs, start: String(begin), end: String(end), late: { every: 7, by_s: 300 } },
  };
};

/** Starts the simulated site; it ends with the context. */
export const startSimulatedSite = async (dir: DataDir, { lifecycle, clock }: Context): Promise<SimulatedSite> => {
  const token = await dir.readOrCreateSecret('site-token');
  const user = {
    username: 'ranger',
    password: await dir.readOrCreateSecret('site-password'),
    token,
    first_name: 'Asha',
    last_name: 'Mwangi',
    actions: { event: ['view'], observation: ['view'] },
  };
  const state = { ...movements(clock.now()), tokens: [user] };
  const site = await freshSite({ clock: simulatorClock, state, logLimit: 100 });
  lifecycle.onStop('simulated site', () => site.close());
  return { url: site.url, token };
};
