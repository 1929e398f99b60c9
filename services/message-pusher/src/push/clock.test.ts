import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { bodyOf, imeiA, messageTo, harness, type Harness } from '../test/harness.ts';

const days = 86_400_000;

/** A machine whose clock was set three days ahead, beside a platform that knows better or tells no time. */
const ahead = (theirTime: (w: Harness, right: number) => number | null): { w: Harness; right: number } => {
  const w = harness();
  const right = w.clock.now();
  w.clock.jump(3 * days);
  w.theirTime = () => theirTime(w, right);
  return { w, right };
};

for (const [what, theirs] of [
  ['a platform that knows better', (_: Harness, right: number): number => right],
  ['a platform that tells no time', (): null => null],
] as const) {
  test(`a clock that is days ahead makes no text too old to be sent, beside ${what}`, async (t) => {
    const { w, right } = ahead(theirs);
    t.deepEqual(bodyOf(await w.deliver([imeiA], { receivedAt: right })).accepted, [imeiA]);
  });

  test(`a clock that is days ahead makes no text too old to be tried again, beside ${what}`, async (t) => {
    const { w, right } = ahead(theirs);
    w.script = () => outcomes.unavailable();
    t.is((await w.deliver([imeiA], { receivedAt: right })).outcome, 'transient');
    t.is((await w.deliver([imeiA], { auth: null, receivedAt: right })).outcome, 'transient');
    t.is(w.letters.length, 0);
  });
}

test('a text without a time, or with one of the future, goes out with no later time than the platform’s', async (t) => {
  const { w, right } = ahead((_, time) => time);
  for (const Timestamp of [undefined, new Date(right + 2 * days).toISOString()])
    await w.deliver([imeiA], {
      data: messageTo([imeiA], { Timestamp }),
      attributes: { delivery_id: `d${w.calls.length}` },
    });
  t.deepEqual(
    w.calls.map(({ text }) => text.timestamp),
    [right, right],
  );
});
