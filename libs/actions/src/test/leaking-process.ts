import { handlers } from './actions.ts';
import { harness } from './harness.ts';

/** A process whose handlers leave rejections behind; prints what became of them. */
const w = harness(
  handlers('generic', ({ config }) => {
    void Promise.reject(new Error(`left behind with ${String(config['password'])}`));
    setTimeout(() => void Promise.reject(undefined as unknown as Error), 1);
    return 'fine';
  }),
);
const owned: boolean[] = [];
process.on('unhandledRejection', (reason) => owned.push(w.runtime.ownsLeak(reason)));
w.platform.configs = { work: { password: 'canary-value' } };
const outcome = await w.run('work');
void Promise.reject(new Error('of the process itself'));
setTimeout(() => process.stdout.write(JSON.stringify({ outcome, owned, lines: w.lines })), 20);
