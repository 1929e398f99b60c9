import { fileURLToPath } from 'node:url';
import { openSqlite, type SqliteFile } from '@ranger-relay/sqlite';
import test, { type ExecutionContext } from 'ava';
import { busContract, type BusHarness, contractTopics } from '../testing/contract.ts';
import { publishUntilKilled, temporaryBus } from '../testing/temporary-bus.ts';

const script = fileURLToPath(new URL('./test/publisher.ts', import.meta.url));
const slow = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n';

const open = async (t: ExecutionContext): Promise<BusHarness> => {
  let file: SqliteFile | undefined;
  const openFile: typeof openSqlite = async (options) => (file = await openSqlite(options));
  const own = await temporaryBus(t, { topics: contractTopics, openFile });
  return {
    bus: own.bus,
    reopen: async () => (await own.reopen()).bus,
    beside: async () => (await own.beside()).bus,
    async stall() {
      void file?.read(slow);
      await new Promise((resolve) => setImmediate(resolve));
    },
    killedPublisher: (topic) => publishUntilKilled(script, own.path, topic),
  };
};

busContract(test, { name: 'embedded', open });
