import test from 'ava';
import { leaseTimes } from './record.ts';

test('the defaults leave room: three calls fit before the holder gives up, and a third of the time is for clocks that differ', (t) => {
  const { durationMs, giveUpMs, retryMs, callMs } = leaseTimes();
  t.true(retryMs + callMs < giveUpMs);
  t.true(durationMs - giveUpMs >= durationMs / 3);
});

test('times that do not fit into each other are refused', (t) => {
  t.throws(() => leaseTimes({ giveUpMs: 15_000 }), { instanceOf: RangeError, message: /giveUpMs 15000/ });
  t.throws(() => leaseTimes({ callMs: 9_000 }), { instanceOf: RangeError, message: /callMs 9000/ });
  t.notThrows(() => leaseTimes({ durationMs: 3_000, giveUpMs: 2_000, retryMs: 500, callMs: 1_000 }));
});
