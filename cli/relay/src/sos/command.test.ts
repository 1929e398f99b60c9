import { memoryBus } from '@ranger-relay/bus/testing';
import { topics, type SosStep } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { memoryKv } from '@ranger-relay/kv/testing';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { testContext } from '@ranger-relay/runtime/testing';
import { shareConditions } from '@ranger-relay/service';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import test from 'ava';
import type { Sender } from '../program/stores.ts';
import { statusOfStores } from '../status/ask.ts';
import { sosCommand, type SosDependencies } from './command.ts';
import { at, step } from './test/facts.ts';

const accepted = (event: string, second: number, more: Partial<SosStep> = {}): SosStep[] => [
  step(event, second, more),
  step(event, second, { step: 'accepted', at: at(second + 0.4), object_ids: ['o-1'], ...more }),
];

const harness = async (
  steps: readonly SosStep[],
  hasStore = true,
  sender: Sender = 'up',
  more: Partial<Pick<SosDependencies, 'findProblems' | 'busSince' | 'openBus'>> = {},
) => {
  const shell = recordingShell();
  const { clock } = shell;
  clock.jump(Date.parse(at(60)) - clock.now());
  const bus = memoryBus(clock);
  const kv = memoryKv(clock);
  await bus.publish(
    topics.sosLog.name,
    steps.map((each) => ({ key: 'k', value: JSON.stringify(each) })),
  );
  await kv.config.set('integration.park-a', JSON.stringify({ value: { name: 'North park' } }));
  const openBus = async () => ({ ...bus, close: async () => undefined });
  const openKv = async () => {
    if (!hasStore) throw new RelayError('nothing_stored', { details: { path: '/data', file: 'kv.sqlite' } });
    return { ...kv, close: async () => undefined };
  };
  const command = sosCommand({
    shell,
    openBus,
    openKv,
    openStores: async () => ({ bus: await openBus(), kv: await openKv() }),
    isRemote: () => false,
    sender: () => sender,
    dataDir: () => '/data',
    async findProblems() {
      const openStores = async () => ({ bus: await openBus(), kv: await openKv() });
      return (await statusOfStores({ openStores, openKv }, clock)).verdict.problems;
    },
    busSince: async () => null,
    ...more,
  });
  const run = async (...args: string[]) => {
    const code = await runProgram(shell, createProgram(shell, testAbout, [command]), ['sos', ...args]);
    return { code: shell.failed() ? 1 : code, out: shell.lines.join('\n'), err: shell.errors };
  };
  return Object.assign(run, { kv, clock });
};

test('a log that cannot be read is no empty list: the answer is not known, and ends with 1', async (t) => {
  const run = await harness([], true, 'services', {
    openBus: async () => {
      const bus = memoryBus(recordingShell().clock);
      const read: typeof bus.read = (options) => {
        if (options.topic !== topics.sosLog.name) return bus.read(options);
        throw new RelayError('bus_topic_unknown', { details: { topic: options.topic } });
      };
      return { ...bus, read };
    },
  });
  const { code, out, err } = await run();
  t.is(code, 1);
  t.is(out, 'Not known: the list is not whole.');
  t.regex(err.join('\n'), /The list of SOS is not whole, because a topic cannot be read: .*sos-log/);
});

test('an SOS that the vendor held is as old as the device says', async (t) => {
  const run = await harness([step('late', 50, { recorded_at: at(-3_600) })]);
  t.regex((await run()).out, /^SOS declared +device-1 +North park +1 h 1 min ago/m);
});

test('the list tells each SOS with park, device and steps, and the exit code that one is open', async (t) => {
  const run = await harness([
    ...accepted('call', 1),
    ...accepted('end', 9, { sos: 'cancelled' }),
    ...accepted('new', 20),
  ]);
  const { code, out } = await run();
  t.is(code, 1);
  t.deepEqual(out.split('\n'), [
    'SOS            device    integration    called  state   delivery',
    'SOS declared   device-1  North park   40 s ago  open    accepted after 0.4 s',
    '  2026-01-01T00:00:20.000Z  received',
    '  2026-01-01T00:00:20.000Z  stored',
    '  2026-01-01T00:00:20.400Z  accepted   after 0.4 s; object o-1',
    'SOS cancelled  device-1  North park   59 s ago  closed  accepted after 0.4 s',
    '  2026-01-01T00:00:01.000Z  received',
    '  2026-01-01T00:00:01.000Z  stored',
    '  2026-01-01T00:00:01.400Z  accepted   after 0.4 s; object o-1',
    '  2026-01-01T00:00:09.000Z  cancelled',
    '  2026-01-01T00:00:09.000Z  stored',
    '  2026-01-01T00:00:09.400Z  accepted   after 0.4 s; object o-1',
    '',
    '2 SOS, 1 open.',
  ]);
});

const several = [
  ...accepted('call', 1),
  ...accepted('end', 9, { sos: 'cancelled' }),
  ...accepted('other', 2, { source: 'device-2' }),
];

test('--open and --since choose, and the exit code is that of the list', async (t) => {
  const open = await harness(several);
  t.regex((await open('--open')).out, /^1 SOS, 1 open\.$/m);
  const since = await harness(several);
  t.like(await since('--since', '10s'), { code: 0, out: 'None of the 2 SOS of the last 30 days matches.' });
});

test('as JSON each SOS has its events with their steps, whether or not the store is there', async (t) => {
  for (const hasStore of [true, false]) {
    const run = await harness([...accepted('call', 1), ...accepted('end', 9, { sos: 'cancelled' })], hasStore);
    const { code, out } = await run('--output', 'json');
    t.is(code, 0);
    const [call] = JSON.parse(out) as [Record<string, unknown>];
    t.like(call, {
      integration_id: 'park-a',
      name: hasStore ? 'North park' : null,
      source: 'device-1',
      state: 'cancelled',
      open: false,
      delivery: 'accepted',
    });
    t.is((call['events'] as unknown[]).length, 2);
  }
});

test('the list says first that nothing runs on DATA_DIR, and on a cluster nothing about that', async (t) => {
  for (const [sender, notes] of [
    ['up', []],
    ['services', []],
    ['nobody', ['No `up` runs on DATA_DIR /data: nothing is received or sent until one does.']],
  ] as const) {
    const run = await harness(several, true, sender);
    const { out, err } = await run('--output', 'json');
    t.deepEqual(err, notes);
    t.is((JSON.parse(out) as unknown[]).length, 2);
  }
});

test('while requests are refused, the list names the park whose SOS it may lack', async (t) => {
  const run = await harness(several);
  const ingester = testContext({ clock: run.clock });
  t.teardown(() => ingester.lifecycle.stop());
  ingester.conditions.set('webhook_token_refused', 'park-a');
  ingester.conditions.set('webhook_request_refused', '', { status: 401 });
  ingester.conditions.set('webhook_failing', 'park-a', { status: 503, reason: 'the bus is away' });
  const platform = { activity: { webhook: () => undefined }, integrations: { reload: async () => true } };
  await shareConditions(ingester, { kv: run.kv, platform, instance: '1' });
  t.deepEqual((await run()).err.toSorted(), [
    '1 request of no integration was refused (401), the last now; SOS among them are not listed.',
    'North park: 1 request with a wrong token, the last now; SOS among them are not listed.',
    'North park: the last webhook request was answered 503, what was refused is not here yet, and the vendor sends it again: the bus is away, the last now; SOS among them are not listed.',
  ]);
});

test('the running process is asked who is refused, because a full disk keeps the store as it was', async (t) => {
  const text = 'South park: the last webhook request was answered 503: the disk is full, the last 3 s ago';
  const other = { condition: 'volume_full', text: 'The volume is full' };
  const run = await harness(several, true, 'up', {
    findProblems: async () => [{ condition: 'webhook_failing', text }, other],
  });
  t.deepEqual((await run()).err, [`${text}; SOS among them are not listed.`]);
});

test('an SOS that was refused and is not here yet is named, and ends the command with 1', async (t) => {
  const text = 'SOS declared of 3004 of South park, recorded at 12:00, was answered 503, and is not here yet';
  const run = await harness([], true, 'up', { findProblems: async () => [{ condition: 'sos_not_stored', text }] });
  const { code, out, err } = await run('--open');
  t.deepEqual([code, err], [1, [`${text}.`]]);
  t.regex(out, /^No other SOS in the last 30 days/m);
});

test('a record of SOS that is shorter than what was asked for says since when it is kept', async (t) => {
  const short = { busSince: async () => at(30) };
  const note = [`The record of SOS begins at ${at(30)}; earlier ones are not known.`];
  for (const [args, expected] of [
    [[], note],
    [['--since', '40s'], note],
    [['--since', '20s'], []],
  ] as const)
    t.deepEqual((await (await harness(several, true, 'up', short))(...args)).err, expected);
});

test('a store that cannot be read is named, because refused requests are not known then', async (t) => {
  const run = await harness(several, false);
  const { err } = await run();
  t.is(err.length, 1);
  t.regex(err[0] ?? '', /^It is not known whether requests are refused: /);
});

const disabled = (event: string, second: number, more: Partial<SosStep> = {}) =>
  step(event, second, { step: 'dropped_disabled', source: 'device-2', ...more });

test('an SOS that was dropped is open, in words that say why, until its device cancels it', async (t) => {
  const dropped = { step: 'dropped', dead_letter: { id: 'l', attempts: 1 } } as const;
  const words = async (...steps: SosStep[]) =>
    (await (await harness([step('a', 1), step('a', 1, dropped), disabled('b', 2), ...steps]))()).out
      .split('\n')
      .filter((line) => line.startsWith('SOS'))
      .map((line) => line.split(/ {2,}/).slice(4).join(': '));
  t.deepEqual(await words(), [
    'state: delivery',
    'open: dropped: the integration was disabled; not cancelled by the device',
    'open: dropped by a person; not cancelled by the device',
  ]);
  t.deepEqual(await words(disabled('c', 3, { sos: 'cancelled' }), ...accepted('d', 3, { sos: 'cancelled' })), [
    'state: delivery',
    'closed: dropped: the integration was disabled',
    'closed: dropped by a person',
  ]);
});

test('integrations of equal names are told apart in the list', async (t) => {
  const run = await harness([
    step('a', 1),
    step('b', 2, { integration_id: 'park-b' }),
    step('c', 3, { integration_id: 'park-c' }),
  ]);
  await run.kv.config.set('integration.park-b', JSON.stringify({ value: { name: 'North park' } }));
  const { out } = await run();
  const shown = ['North park (park-a)', 'North park (park-b)', 'park-c'];
  for (const label of shown) t.true(out.includes(`  ${label}  `), label);
});
