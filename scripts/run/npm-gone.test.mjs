import test from 'ava';
import { npmGone, processInfo } from '../../cli/relay/bin/child.mjs';

/** A family of processes: pid → name and parent. */
const family = (processes, env = { npm_lifecycle_event: 'start' }) => {
  const all = new Map(Object.entries(processes).map(([pid, [name, parent]]) => [Number(pid), { name, parent }]));
  return { all, gone: npmGone({ env, parent: () => all.get(9).parent, info: (pid) => all.get(pid) }) };
};

test('npm is there as long as nobody above changes', (t) => {
  t.false(family({ 9: ['node', 5], 5: ['npm start', 3], 3: ['bash', 1] }).gone());
  t.false(family({ 9: ['node', 7], 7: ['sh', 5], 5: ['npm start', 3] }).gone());
});

test('npm is gone when this process has another parent', (t) => {
  const { all, gone } = family({ 9: ['node', 5], 5: ['npm start', 3] });
  all.get(9).parent = 1;
  t.true(gone());
});

test('npm is gone when the shell between has another parent, or has gone itself', (t) => {
  const { all, gone } = family({ 9: ['node', 7], 7: ['sh', 5], 5: ['npm start', 3] });
  all.get(7).parent = 1;
  t.true(gone());
  all.delete(7);
  t.true(gone());
});

test('the terminal above npm may go', (t) => {
  const { all, gone } = family({ 9: ['node', 5], 5: ['npm start', 3], 3: ['bash', 1] });
  all.get(5).parent = 1;
  t.false(gone());
});

test('without npm nothing that goes is missed', (t) => {
  const { all, gone } = family({ 9: ['node', 7], 7: ['bash', 5] }, {});
  all.get(9).parent = 1;
  t.false(gone());
});

test('where processes cannot be looked at, the parent alone counts', (t) => {
  let parent = 5;
  const gone = npmGone({ env: { npm_lifecycle_event: 'x' }, parent: () => parent, info: () => undefined });
  t.false(gone());
  parent = 1;
  t.true(gone());
});

test('a process knows itself, and nothing of one that does not exist', (t) => {
  if (process.platform === 'linux') t.is(processInfo(process.pid)?.parent, process.ppid);
  t.is(processInfo(2 ** 30), undefined);
});
