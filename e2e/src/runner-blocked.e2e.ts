import test from 'ava';
import { startRunners, type RunnerHarness } from './harness/runner.ts';
import { startCommands } from './harness/runner-load.ts';
import { until } from './harness/until.ts';

const parks = Array.from({ length: 12 }, (_, n) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`);
const [blockedPark = '', ...others] = parks;
/** Below and above the session timeout of the group (3 s), both below the lease of a message (30 s). */
const [shortMs, longMs] = [2_000, 7_000];
const [shortN, longN, afterN] = [1_000_001, 1_000_002, 1_000_003];
const fenced = 'the group continued without this member';
let harness: RunnerHarness | undefined;

test.after.always(() => harness?.remove());

test.serial(
  'a handler that blocks the event loop costs its runner the place in the group only beyond the session, and is run once in any case',
  async (t) => {
    t.timeout(120_000);
    harness = await startRunners({ integrations: parks, replicas: 2, env: { SCHEDULER: 'platform' } });
    const { runners, lines, command } = harness;
    const of = (n: number) => lines().filter((line) => line.n === n);
    const ended = (n: number): boolean => of(n).some(({ phase }) => phase === 'ended');
    const isFenced = (): boolean => runners.some((runner) => runner.log().includes(fenced));
    const load = startCommands(harness, others);
    t.teardown(() => load.stop());

    await command(blockedPark, 'work', { n: shortN, block_ms: shortMs });
    await until('the short one has ended', () => ended(shortN));
    const sent = load.sent();
    await until('commands go on', () => load.sent() > sent + 20);
    t.false(isFenced());

    await command(blockedPark, 'work', { n: longN, block_ms: longMs });
    await until('the long one has ended', () => ended(longN));
    await until('its runner joins again', isFenced);
    await command(blockedPark, 'work', { n: afterN });
    await until('the command behind it has run', () => ended(afterN), 40_000);
    await load.stop();
    await until('every command has run', load.allRan);
    // A caller whose answer was late has repeated its request as another command, with a new id.
    const begun = lines().filter(({ phase }) => phase === 'begun');
    const commands = new Set(begun.map(({ event }) => event));
    t.log(`runner-blocked: ${JSON.stringify({ sent: load.sent() + 3, commands: commands.size, runs: begun.length })}`);
    t.is(begun.length, commands.size, 'no command is run twice');
    for (const runner of runners) await until('it is ready again', runner.ready);
  },
);
