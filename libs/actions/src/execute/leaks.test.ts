import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

const script = fileURLToPath(new URL('../test/leaking-process.ts', import.meta.url));

test('rejections that a handler leaves behind are known as its own, logged without secrets, and end nothing', async (t) => {
  const args = ['--conditions=@ranger-relay/source', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { outcome, owned, lines } = JSON.parse(stdout) as { outcome: unknown; owned: boolean[]; lines: object[] };
  t.deepEqual(outcome, { kind: 'complete', result: 'fine' });
  t.deepEqual([...owned].sort(), [false, true, true]);
  t.is(lines.length, 2);
  t.false(stdout.includes('canary-value'));
});
