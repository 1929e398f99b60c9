import type { SyncSummary } from '@ranger-relay/contracts';
import type { JobStatus, PlanStatus, RunStatus } from '../api/run-status.ts';
import { syncSpecSchema } from '../api/sync-spec.ts';
import type { SyncStatus } from '../api/sync-status.ts';
import type { JobView, SyncObserved } from '../decide/observed.ts';

export const hash = 'a'.repeat(64);
/** The time of every observed. */
export const now = Date.UTC(2026, 0, 2);
const at = new Date(now - 1_000).toISOString();

/** Spec, status and surroundings of a PatrolSync of generation 2, as a table test wants them. */
export const observed = (
  spec: object = {},
  status: SyncStatus = {},
  more: Partial<SyncObserved> = {},
): SyncObserved => ({
  name: 'north',
  namespace: 'park',
  uid: 'u1',
  generation: 2,
  run: '',
  spec: syncSpecSchema.parse({
    bundle: { configMap: 'bundle' },
    output: { claimName: 'output' },
    site: { endpoint: 'site.example', token: { name: 'site' } },
    mode: 'apply',
    ...spec,
  }),
  status,
  jobs: [],
  pods: [],
  siteLock: { mine: false, free: true, holder: '' },
  secretProblem: undefined,
  rollbacks: [],
  now,
  ...more,
});

/** A plan of three writes that is done. */
export const plan = (more: Partial<PlanStatus> = {}): PlanStatus => ({
  outcome: 'done',
  job: 'north-plan-1',
  endedAt: at,
  generation: 2,
  run: '',
  number: 1,
  hash,
  writes: 3,
  peopleDeactivated: 0,
  path: 'north/1/plan.json',
  tries: 1,
  ...more,
});

/** A run that is done. */
export const run = (more: Partial<RunStatus> = {}): RunStatus => ({
  outcome: 'done',
  job: 'north-apply-1',
  endedAt: at,
  command: 'apply',
  generation: 2,
  run: '',
  number: 1,
  planHash: hash,
  attempt: 0,
  folder: 'north/1',
  ...more,
});

/** A Job that is written down. */
export const job = (more: Partial<JobStatus> = {}): JobStatus => ({
  name: 'north-apply-1',
  uid: 'j1',
  command: 'apply',
  generation: 2,
  run: '',
  number: 1,
  attempt: 0,
  planHash: hash,
  since: at,
  ...more,
});

/** The same Job in the cluster. */
export const view = (more: Partial<JobView> = {}): JobView => ({
  name: 'north-apply-1',
  uid: 'j1',
  version: '5',
  command: 'apply',
  wanted: undefined,
  suspended: false,
  ended: false,
  summary: undefined,
  ...more,
});

/** What a Job that is done leaves. */
export const summary = (more: Partial<SyncSummary> = {}): SyncSummary => ({
  format: 'patrol-datamodel-summary',
  format_version: '1.0',
  tool: 'sync-tool test',
  command: 'patrol-datamodel',
  dry_run: false,
  outcome: 'done',
  exit: 0,
  reason: null,
  message: null,
  site: 'site.example',
  plan_hash: null,
  bundle: null,
  counts: {},
  steps: null,
  failures: [],
  verdict: null,
  people_deactivated: null,
  record: null,
  checklist: null,
  plan: null,
  report: null,
  problems: { items: [], left_out: 0 },
  open: { items: [], left_out: 0 },
  ...more,
});
