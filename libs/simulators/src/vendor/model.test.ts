import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import type { ExecutionContext } from 'ava';
import type { SimulatedResponse } from '../http/answer.ts';
import { startReceiver, type Receiver } from '../test/receiver.ts';
import { scratch } from '../test/harness.ts';
import type { Misbehaviour } from './line.ts';

const answer: fc.Arbitrary<SimulatedResponse> = fc.constantFrom<SimulatedResponse>(
  { status: 200 },
  { status: 200 },
  { status: 202 },
  { status: 503 },
  { status: 200, delivery: 'reset' },
  { status: 200, delivery: 'half', body: '{"total_observations":1}' },
);

const oddity = fc.constantFrom<Misbehaviour>('close_before_answer', 'repeat', 'parallel', 'regroup');

/** Moves time on until everything is through. */
const runOut = async ({ vendor, clock }: Receiver): Promise<void> => {
  const idle = vendor.idle().then(() => true);
  while (!(await Promise.race([clock.toNextTimer().then(() => false), idle])));
};

/** The order in which a device's events first came. */
const firstArrivals = ({ got }: Receiver, imei: string): number[] => [
  ...new Set(got.flatMap(({ events }) => events.filter((event) => event.imei === imei).map(({ n }) => n ?? -1))),
];

testProp(
  'whatever the customer answers and the vendor does wrong, every event arrives, and first arrivals keep the order of the device',
  [
    fc.array(answer, { maxLength: 12 }),
    fc.array(oddity, { maxLength: 4 }),
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 1, max: 7 }),
    fc.integer({ min: 1, max: 3 }),
  ],
  async (t, answers, oddities, count, maxEventsPerPost, connections) => {
    const context = t as ExecutionContext;
    const stateFile = join(scratch(context), 'outbox');
    const answersThenGood = [...answers, { status: 200 }];
    const receiver = await startReceiver(context, answersThenGood, { maxEventsPerPost, connections, stateFile });
    for (const kind of oddities) receiver.vendor.misbehave(kind);
    const imeis = ['300434030000001', '300434030000002', '300434030000003'];
    for (let n = 0; n < count; n += 1) receiver.vendor.send(imeis.map((imei) => ({ imei, n })));
    await runOut(receiver);
    const expected = Array.from({ length: count }, (_, n) => n);
    for (const imei of imeis) t.deepEqual(firstArrivals(receiver, imei), expected);
    t.is(receiver.vendor.waiting(), 0);
  },
  { numRuns: 30 },
);
