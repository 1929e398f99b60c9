import type { HttpAnswer } from '@ranger-relay/http';
import { httpAnswer } from '@ranger-relay/http/testing';
import test, { type ExecutionContext } from 'ava';
import { createHarness, now } from '../test/harness.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const iso = (ms: number): string => new Date(ms).toISOString();

/** Pulls a row that arrives five days after it was recorded, while something answers the first `count` listings in the site's place. */
const pullsLate = async (t: ExecutionContext, count: number, answer: () => HttpAnswer): Promise<void> => {
  const harness = createHarness();
  harness.site.now = () => harness.clock.now();
  const config = { start_datetime: iso(now - 9 * dayMs) };
  await harness.run('pull_observations', config);
  const rows = (created: number): void => {
    harness.site.observations = [
      {
        id: 'late',
        recorded_at: iso(now - 5 * dayMs),
        created_at: iso(created),
        source: '5c000000-0000-4000-8000-000000000000',
        location: { longitude: 36.8, latitude: -1.2 },
      },
    ];
  };
  await harness.clock.advance(hourMs);
  rows(now + 10 * minuteMs);
  let strange = count;
  harness.site.onRequest = ({ pathname }) =>
    pathname.endsWith('/observations') && (strange -= 1) >= 0 ? answer() : undefined;
  for (let run = 0; run < 8; run += 1) {
    await harness.run('pull_observations', config);
    await harness.clock.advance(10 * minuteMs);
  }
  t.true(strange < 0, `${count} answers`);
  t.deepEqual(
    harness.events().map(({ observation }) => observation?.additional['id']),
    ['late'],
    `${count} answers`,
  );
};

for (const [what, status, body] of [
  ['a page of a gateway with 200', 200, { message: 'Under maintenance' }],
  ['a refusal of a gateway', 400, '<html>Bad Request</html>'],
] as const)
  test(`${what} in place of answers loses no row that arrives long after it was recorded`, async (t) => {
    for (let count = 1; count <= 6; count += 1) await pullsLate(t, count, () => httpAnswer(status, body));
  });
