import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { temporaryFolder } from '../../test/folder.ts';
import { type Harness, harnessAt } from '../../test/harness.ts';

/** A JSON object of a test. */
export type Json = Record<string, unknown>;

/** A uuid as the exporter writes it, of one pair of digits. */
export const uuid = (pair: string): string => `000000${pair}-0000-4000-8000-00000000ca01`;

const labels = { labels: { en: 'Label' }, label: 'Label', active: true };

/** A valid manifest (contract of the exported bundle, 4). */
export const manifest: Json = {
  bundle_schema_version: 1,
  generated_at: '2026-11-01T08:00:00+03:00',
  generator: { name: 'exporter', version: 'v0.2.0' },
  source: { kind: 'backup', file: null, ext_version: '7.5.7' },
  conservation_area: { uuid: uuid('ca'), id: 'SAMPLE', name: 'Sample Area', designation: '', country: null },
  timezone: { name: 'Africa/Nairobi', source: 'configured' },
  default_language: 'en',
  languages: [
    { code: 'en', default: true, labels: 470, missing: 0 },
    { code: 'fr', default: false, labels: 12, missing: 458 },
  ],
  counts: { patrols: 1, legs: 1, leg_days: 1, waypoints: 0, observations: 0, tracks: 0, employees: 1, attachments: 0 },
  time_coverage: { leg_days: 1, track: 0, leg_day_times: 1, waypoints: 0, date_only: 0 },
  warnings: [],
};

/** A valid vocabulary with one object a list. */
export const reference = {
  patrol_types: [{ key: 'GROUND', active: true, max_speed: 120 }] as Json[],
  transports: [{ uuid: uuid('a1'), key: 'foot', patrol_type: 'GROUND', ...labels }] as Json[],
  mandates: [{ uuid: uuid('b1'), key: 'security', ...labels }] as Json[],
  stations: [{ uuid: uuid('c1'), labels: {}, label: null, active: true }] as Json[],
  patrol_attributes: [
    {
      uuid: uuid('91'),
      key: 'weather',
      type: 'LIST',
      ...labels,
      options: [{ uuid: uuid('92'), key: 'dry', ...labels }],
    },
  ] as Json[],
  agencies: [{ uuid: uuid('71'), key: 'parks' }] as Json[],
  ranks: [] as Json[],
  teams: [{ uuid: uuid('81'), labels: { en: 'Alpha' }, label: 'Alpha', member_uuids: [uuid('51')] }] as Json[],
  employees: [
    {
      uuid: uuid('51'),
      id: '007',
      given_name: 'Asha',
      family_name: 'Ranger',
      agency_uuid: null,
      rank_uuid: null,
      employment_start: '2019-03-01',
      employment_end: null,
      active: true,
      has_ext_login: false,
    },
  ] as Json[],
};

/** Two mandates that become the same option. */
export const mandatesOfOneValue: readonly Json[] = ['A.b', 'a__B'].map((key, at) => ({
  uuid: uuid(`b${at}`),
  key,
  labels: {},
  label: key,
  active: true,
}));

/** A valid leg and a valid patrol. */
export const leg: Json = {
  uuid: uuid('e1'),
  transport_uuid: uuid('a1'),
  mandate_uuid: uuid('b1'),
  members: [{ employee_uuid: uuid('51'), leader: true, pilot: false }],
  days: [],
  waypoints: [],
};
export const patrol: Json = {
  uuid: uuid('d1'),
  patrol_type: 'GROUND',
  station_uuid: uuid('c1'),
  team_uuid: null,
  attributes: [],
  legs: [leg],
};

/** What is to be different from a valid bundle; null for a file that is missing, a text for its bytes. */
export interface ExportedContent {
  readonly manifest?: Json | string;
  readonly reference?: Partial<Record<keyof typeof reference, unknown>> | string | null;
  readonly patrols?: unknown;
  readonly tracks?: null;
}

const whole = (valid: object, part: object | string | null | undefined): unknown =>
  typeof part === 'string' || part === null ? part : { ...valid, ...part };

/** Writes a small valid exported bundle, but for the parts. */
export const writeExportedBundle = async (folder: string, parts: ExportedContent = {}): Promise<void> => {
  await mkdir(join(folder, 'attachments'), { recursive: true });
  const put = async (name: string, content: unknown): Promise<void> => {
    if (content === null) return;
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  await put('manifest.json', whole(manifest, parts.manifest));
  await put('reference.json', whole(reference, parts.reference));
  await put('patrols.json', parts.patrols === undefined ? { patrols: [patrol] } : parts.patrols);
  await put('tracks.json', parts.tracks === undefined ? { tracks: [] } : parts.tracks);
};

/** The same in a folder of its own, with ways to read it. */
export const exportedBundle = async (t: ExecutionContext, parts: ExportedContent = {}): Promise<Harness> => {
  const folder = await temporaryFolder(t);
  await writeExportedBundle(folder, parts);
  return harnessAt(folder);
};
