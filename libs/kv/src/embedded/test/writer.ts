/** A process of the contract suite: writes `n` to `child.<n>` without end and prints each acknowledged `n`. Its argument is the file. */
import { systemClock } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { openEmbeddedKv } from '../open.ts';

const path = process.argv[2];
if (path === undefined) throw new Error('the file to write to is missing');
const kv = await openEmbeddedKv({ path, clock: systemClock, log: silentLogger() });
for (let n = 0; ; n++) {
  await kv.state.set(`child.${n}`, `${n}`);
  process.stdout.write(`${n}\n`);
}
