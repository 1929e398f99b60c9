import test from 'ava';
import { canary, startOperators } from './test/operators.ts';

const rotated = 'canary-9a3e55';
const secretPath = '/api/v1/namespaces/park/secrets/site.example';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a token that is rotated under a run is used by its resume, and no token is seen outside its Secret', async (t) => {
  t.timeout(120_000);
  const { cluster, start, until, stop, runJobs, ready, make } = await startOperators(t);
  const { server } = cluster;
  const operator = await start();
  server.onRequest({ kind: 'status', status: 500 }, { method: 'PATCH', path: '/status' });
  make('north', 'site.example', { driftCheckInterval: '1m' });
  const applying = () =>
    cluster.running().find(({ metadata }) => metadata.labels?.['ranger-relay.dev/command'] === 'apply');
  await until(
    'an apply',
    () => applying() !== undefined,
    () => applying() ?? runJobs(),
  );
  server.call('PATCH', secretPath, { data: { token: base64(rotated) } });
  for (const job of cluster.running()) cluster.finish(job, 'fails');
  await until('the end of all', () => ready() === 'True Applied', runJobs);
  t.is(cluster.site.writes.length, 1);
  server.call('PATCH', secretPath, { data: { token: null, old: base64(rotated) } });
  await until('a check that cannot be made', () => ready() === 'False SecretMissing', runJobs);
  await stop(operator);

  const seen = ['batch/v1/jobs', 'v1/events', 'coordination.k8s.io/v1/leases', 'ranger-relay.dev/v1alpha1/patrolsyncs'];
  const text = JSON.stringify([seen.map((collection) => server.store.all(collection)), operator.lines]);
  t.true(text.includes('SecretMissing'));
  t.true(operator.lines.length > 0);
  for (const token of [canary, rotated])
    for (const form of [token, base64(token)]) {
      t.false(text.includes(form));
      t.false((await operator.context.metrics.render()).includes(form));
    }
});
