import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { manualClock, silentLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { KeyValue } from '../port.ts';
import { kvContract, type KvUnderTest } from '../testing/contract.ts';
import { openEmbeddedKv } from './open.ts';

const writer = fileURLToPath(new URL('./test/writer.ts', import.meta.url));

const open = async (): Promise<KvUnderTest> => {
  const directory = await mkdtemp(join(tmpdir(), 'relay-kv-'));
  const path = join(directory, 'kv.sqlite');
  const clock = manualClock();
  const opened: KeyValue[] = [];
  const another = async (): Promise<KeyValue> => {
    const kv = await openEmbeddedKv({ path, clock, log: silentLogger() });
    opened.push(kv);
    return kv;
  };
  const kv = await another();
  return {
    kv,
    advance: clock.advance,
    jump: (ms) => clock.jump(ms),
    second: another,
    async reopen() {
      await kv.close();
      return another();
    },
    async stall() {
      const locking = new DatabaseSync(path);
      locking.exec('BEGIN IMMEDIATE');
      return async () => locking.close();
    },
    writer: async () =>
      spawn(process.execPath, ['--conditions=@ranger-relay/source', writer, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    async end() {
      await Promise.all(opened.map((kv) => kv.close()));
      await rm(directory, { recursive: true, force: true });
    },
  };
};

kvContract(test, { name: 'embedded', deadlineMs: 2_000, open });
