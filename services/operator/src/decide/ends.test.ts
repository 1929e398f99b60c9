import test from 'ava';
import { hash, job, now, summary } from '../test/observed.ts';
import { planOf } from './ends.ts';

const parts = { now, path: 'north/1/plan.json', before: undefined };
const planned = (counts: object) =>
  planOf(job({ command: 'plan' }), summary({ dry_run: true, plan_hash: hash, counts }), parts);

test('a plan that only lets people join the roster writes something, although it creates nothing', (t) => {
  t.is(planned({ created: 0, updated: 0, deactivated: 0, differences: 1 }).writes, 1);
});

test('what a look at an undo would take back is what it writes', (t) => {
  t.is(planned({ undone: 3, left: 2, failed: 0 }).writes, 3);
});
