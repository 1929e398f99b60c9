import test from 'ava';
import { createHealth } from './index.ts';

test('a process without checks is alive and ready', (t) => {
  const health = createHealth();
  t.deepEqual(health.live(), { ok: true, failing: [] });
  t.deepEqual(health.ready(), { ok: true, failing: [] });
});

test('readiness and liveness are different questions', (t) => {
  const health = createHealth();
  let joined = false;
  let running = true;
  health.addReadiness({ name: 'bus', ok: () => joined });
  health.addLiveness({ name: 'consumer', ok: () => running });
  t.deepEqual(health.ready(), { ok: false, failing: ['bus'] });
  t.true(health.live().ok);
  joined = true;
  running = false;
  t.true(health.ready().ok);
  t.deepEqual(health.live(), { ok: false, failing: ['consumer'] });
});

test('every failing check is named', (t) => {
  const health = createHealth();
  for (const name of ['a', 'b', 'c']) health.addReadiness({ name, ok: () => name === 'b' });
  t.deepEqual(health.ready().failing, ['a', 'c']);
});

test('a process that is going is not ready but alive', (t) => {
  const health = createHealth();
  health.drain();
  health.drain();
  t.deepEqual(health.ready(), { ok: false, failing: ['draining'] });
  t.true(health.live().ok);
});
