import { type Clock, systemClock } from '@ranger-relay/runtime';
import test, { type ExecutionContext } from 'ava';
import { busContract, type BusHarness, contractTopics } from './contract.ts';
import { memoryBus } from './memory-bus.ts';
import { memoryStorage } from './memory-storage.ts';
import { quickRules } from './temporary-bus.ts';

const stallMs = 1_000;

/** Nothing but the timers of the bus keeps the process alive. */
const clock: Clock = { ...systemClock, after: (ms, task) => systemClock.after(ms, task, true) };

const open = async (t: ExecutionContext): Promise<BusHarness> => {
  const storage = memoryStorage(contractTopics);
  const another = () => {
    const bus = memoryBus(clock, { storage, rules: quickRules });
    t.teardown(() => bus.close());
    return bus;
  };
  const bus = another();
  return {
    bus,
    async reopen() {
      await bus.close();
      return another();
    },
    beside: async () => another(),
    async stall() {
      const stalled = clock.sleep(stallMs);
      bus.before = () => stalled;
    },
  };
};

busContract(test, { name: 'memory', consumesBeside: true, open });
