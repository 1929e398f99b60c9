import test from 'ava';
import { recordingLogger } from '../testing/index.ts';
import { outageTeller } from './outage.ts';

test('an outage of the collector is told of once, and so is its end', (t) => {
  const { log, lines } = recordingLogger();
  const tell = outageTeller(log);
  for (const taken of [true, false, false, false, true, true, false]) tell(taken);
  t.deepEqual(
    lines.map(({ level }) => level),
    ['warn', 'info', 'warn'],
  );
});
