/** A process that holds the DATA_DIR of its first argument until it is killed; a second argument of `stores` opens the stores too. */
import { createContext } from '@ranger-relay/runtime';
import { topics } from '@ranger-relay/contracts';
import { openDataDir } from '../open.ts';

const [, , path, what] = process.argv;
if (path === undefined) throw new Error('the directory to hold is missing');
const context = createContext({ service: 'holder', level: 'silent' });
const dir = await openDataDir(path, context);
if (what === 'stores') {
  const { openStores } = await import('../stores.ts');
  const options = { acceptEmptyBus: false, salvageBus: false, topics: Object.values(topics), context };
  const { bus, kv } = await openStores(dir, options);
  await bus.publish('integration-events', [{ key: 'k', value: 'published before the kill' }]);
  await kv.state.set('k', 'set before the kill');
}
process.stdout.write('held\n');
process.stdin.on('end', () => void dir.release());
process.stdin.resume();
