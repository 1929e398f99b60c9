import type { SyncSummary } from '@ranger-relay/contracts';
import { version } from '../program/about.ts';

/** The summary of a call of which nothing else is known yet. */
export const newSummary = (command: string | null, dryRun: boolean): SyncSummary => ({
  format: 'patrol-datamodel-summary',
  format_version: '1.0',
  tool: `sync-tool ${version}`,
  command,
  dry_run: dryRun,
  outcome: 'done',
  exit: 0,
  reason: null,
  message: null,
  site: null,
  plan_hash: null,
  bundle: null,
  counts: {},
  steps: null,
  failures: [],
  people_deactivated: null,
  record: null,
  checklist: null,
  plan: null,
  report: null,
  problems: { items: [], left_out: 0 },
  open: { items: [], left_out: 0 },
});
