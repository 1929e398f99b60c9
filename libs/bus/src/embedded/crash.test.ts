import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { contractTopics } from '../testing/contract/inbox.ts';
import { temporaryBus } from '../testing/temporary-bus.ts';

const script = fileURLToPath(new URL('./test/consumer.ts', import.meta.url));

const keys = Array.from({ length: 20 }, (_, k) => `k${k}`);
const perKey = 150;
const total = keys.length * perKey;

/** What a consumer process printed, by key. */
class Handled {
  readonly byKey = new Map(keys.map((key) => [key, [] as number[]]));
  deliveries = 0;
  missing = total;

  add(line: string): void {
    const [key = '', n] = line.split(' ');
    const seen = this.byKey.get(key) ?? [];
    if (!seen.includes(Number(n))) this.missing -= 1;
    seen.push(Number(n));
    this.deliveries += 1;
  }
}

/** Runs a consumer process until it has printed `lines` records, or nothing is missing, then kills it with -9. */
const consumeUntilKilled = async (path: string, lines: number, handled: Handled): Promise<void> => {
  const child = spawn(process.execPath, ['--conditions=@ranger-relay/source', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let left = lines;
  for await (const line of createInterface(child.stdout)) {
    handled.add(line);
    left -= 1;
    if (left === 0 || handled.missing === 0) child.kill('SIGKILL');
  }
};

test('a consumer that is killed again and again handles every record and keeps the order of each key', async (t) => {
  const own = await temporaryBus(t, { topics: contractTopics });
  const records = Array.from({ length: total }, (_, i) => ({ key: keys[i % 20] ?? '', n: Math.trunc(i / 20) }));
  await own.bus.publish(
    'events',
    records.map(({ key, n }) => ({ key, value: `${key} ${n}` })),
  );
  await own.close();
  const random = seededRandom(7);
  const handled = new Handled();
  let kills = 0;
  for (; handled.missing > 0 && kills < 40; kills += 1)
    await consumeUntilKilled(own.path, 300 + Math.trunc(random.next() * 600), handled);
  t.is(handled.missing, 0);
  for (const [key, seen] of handled.byKey)
    t.deepEqual(
      [...new Set(seen)],
      Array.from({ length: perKey }, (_, n) => n),
      `the first deliveries of ${key} are in order`,
    );
  t.true(kills >= 3, `${kills} kills`);
  t.log(`${total} records, ${kills} kills, ${handled.deliveries - total} repeated deliveries`);
});
