import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { fillDisk } from './harness/disk.ts';
import { loadFor } from './harness/load.ts';
import { assertRecovered, everyReplica, throughOutage } from './harness/outage.ts';
import { probesFor } from './harness/probes.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-broker-'));
let here: Cluster;

test.before(async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dir]);
  // Small files, so that a partition takes room only for what it holds.
  const lines = ['log.segment.bytes=1048576', 'log.index.size.max.bytes=16384', 'log.segment.delete.delay.ms=1000'];
  here = await startCluster([park], { kafka: { dir, lines } });
  await here.platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
});
test.after.always(async () => {
  await here?.remove();
  execFileSync('umount', ['-l', dir]);
  rmSync(dir, { recursive: true, force: true });
});

test.serial(
  'a broker whose disk is full: 503 in time, and with room and the broker back all goes on by itself',
  async (t) => {
    const [broker] = here.kafka.brokers;
    const filler = join(dir, 'filler');
    const load = loadFor(t, here, park);
    const probes = probesFor(t, everyReplica(here));
    const figures = await throughOutage(
      t,
      { load, probes },
      {
        begin: async () => {
          fillDisk(filler);
          await until('the broker gives up its only disk', () => !broker?.running(), 30_000);
        },
        end: async () => {
          rmSync(filler);
          await broker?.start();
        },
      },
    );
    await assertRecovered(t, figures, load);
  },
);
