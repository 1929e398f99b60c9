import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { produceAnswer, rawBroker, readProduce } from '../test/wire.ts';
import { produce } from './requests.ts';

const part = fc.record({
  topic: fc.constantFrom('a', 'größer', 'c.c'),
  partition: fc.nat({ max: 5 }),
  batch: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  code: fc.constantFrom(0, 0, 3, 6, 10, -1, 9_999),
});
const parts = fc.uniqueArray(part, { selector: ({ topic, partition }) => `${topic} ${partition}`, maxLength: 12 });
const byPlace = <T>(all: readonly { topic: string; partition: number }[], of: (each: never) => T) =>
  Object.fromEntries(all.map((each) => [place(each), of(each as never)]));
const place = (a: { topic: string; partition: number }): string => `${a.topic} ${a.partition}`;

const hex = ({ batch }: { batch: Buffer }): string => batch.toString('hex');
const code = (each: { code: number }): number => each.code;

testProp('every part reaches the broker, and each gets its own code', [parts], async (t, wanted) => {
  let seen: ReturnType<typeof readProduce> | undefined;
  const broker = rawBroker((_, body) => {
    seen = readProduce(body);
    return produceAnswer(wanted);
  });
  const answers = await produce(broker, wanted);
  t.like(seen, { acks: -1, transaction: -1, left: 0 });
  t.deepEqual(byPlace(seen?.parts ?? [], hex), byPlace(wanted, hex));
  t.deepEqual(byPlace(answers, code), byPlace(wanted, code));
});

const detail = (each: { detail: string; code: number }): string => (each.code === 0 ? '' : each.detail);

testProp('what the broker says of refused records is read, part by part', [parts], async (t, wanted) => {
  const explained = wanted.map((each) => ({ ...each, detail: each.code === 0 ? '' : `no: ${place(each)}` }));
  const answers = await produce(
    rawBroker(() => produceAnswer(explained), { produce: 8 }),
    wanted,
  );
  t.deepEqual(byPlace(answers, code), byPlace(explained, code));
  t.deepEqual(byPlace(answers, detail), byPlace(explained, detail));
});

test('an answer that is cut off rejects', async (t) => {
  const broker = rawBroker(() => produceAnswer([{ topic: 't', partition: 0, code: 0 }]).subarray(0, 12));
  await t.throwsAsync(produce(broker, [{ topic: 't', partition: 0, batch: Buffer.alloc(1) }]));
});
