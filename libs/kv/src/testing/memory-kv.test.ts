import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { kvContract, type KvUnderTest } from './contract.ts';
import { memoryKv } from './memory-kv.ts';

const open = async (): Promise<KvUnderTest> => {
  const clock = manualClock();
  const kv = memoryKv(clock);
  const hang = (hung: boolean): void => {
    kv.state.hung = hung;
    kv.config.hung = hung;
  };
  return {
    kv,
    advance: clock.advance,
    jump: (ms) => clock.jump(ms),
    second: async () => memoryKv(clock, kv),
    async reopen() {
      await kv.close();
      return memoryKv(clock, kv);
    },
    async stall() {
      hang(true);
      return async () => hang(false);
    },
    end: kv.close,
  };
};

kvContract(test, { name: 'memory', deadlineMs: 2_000, open });
