import test from 'ava';
import { startOperators } from './test/operators.ts';

const count = 200;
const names = Array.from({ length: count }, (_, n) => `park-${n}`);
const siteOf = (name: string): string => `${name}.example`;

test('200 objects at once: each is applied once, and calls are no more than changes, watches and lists', async (t) => {
  t.timeout(240_000);
  const { cluster, start, until, stop, runJobs, ready, make, giveToken } = await startOperators(t);
  const { server } = cluster;
  const operator = await start();
  await until('the first lists', () => operator.context.health.ready().ok);
  for (const name of names) giveToken(siteOf(name));
  const before = server.store.version();
  for (const name of names) make(name, siteOf(name));
  const open = new Set(names);
  const noneIsOpen = (): boolean => {
    for (const name of open) {
      if (ready(name) !== 'True Applied') return false;
      open.delete(name);
    }
    return true;
  };
  await until('the end of all', noneIsOpen, runJobs);
  for (const name of names) t.is(cluster.siteAt(siteOf(name)).writes.length, 1, name);
  const calls = server.requests.length;
  const watches = server.requests.filter(({ watch }) => watch).length;
  const lists = server.requests.filter(
    ({ method, path, watch }) =>
      method === 'GET' && !watch && /\/(patrolsyncs|patrolsyncrollbacks|jobs|pods|leases)$/.test(path),
  );
  const allowed = server.store.version() - before + watches + lists.length;
  t.log(`${calls} calls, ${allowed} changes, watches and lists`);
  t.true(calls <= allowed, `${calls} calls, ${allowed} changes, watches and lists`);
  await stop(operator);
});
