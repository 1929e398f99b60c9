import { setTimeout as pause } from 'node:timers/promises';
import { busContract, type BusHarness, contractTopics } from '@ranger-relay/bus/testing';
import { kvContract, type KvUnderTest } from '@ranger-relay/kv/testing';
import { createMetrics, metricList } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createWorldBus } from './bus.ts';
import { createProcess, type DecideFate } from './process.ts';
import { createSimulation, type Simulation } from './simulation.ts';
import { createWorldStore } from './store.ts';

/** Runs a simulation at the pace of the machine's clock, as the suites of the real adapters need it. Returns how to end it. */
const pace = (simulation: Simulation): (() => Promise<void>) => {
  const began = performance.now();
  const ended = new AbortController();
  const follow = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await simulation.run(performance.now() - began);
      await pause(1);
    }
  };
  const following = follow();
  return () => {
    ended.abort();
    return following;
  };
};

/** A simulation and processes in it whose calls can be held up. */
const startProcesses = () => {
  const simulation = createSimulation(1, {}, Date.now());
  const end = pace(simulation);
  let stalledUntil = 0;
  let made = 0;
  const fate: DecideFate = () => ({
    thereMs: 0.2 + Math.max(0, stalledUntil - simulation.clock.monotonic()),
    backMs: 0.2,
  });
  return {
    simulation,
    end,
    stall: (ms: number) => void (stalledUntil = simulation.clock.monotonic() + ms),
    another() {
      const process = createProcess({ simulation, name: `process-${(made += 1)}`, fate });
      // The suites compare times of records with the machine's.
      return { ...process, clock: { ...process.clock, now: () => Date.now() } };
    },
  };
};

busContract(test, {
  name: 'world',
  consumesBeside: true,
  async open(t): Promise<BusHarness> {
    const { simulation, end, stall, another } = startProcesses();
    const brokers = createWorldBus(simulation, contractTopics);
    const parts = { log: silentLogger(), metrics: createMetrics(metricList) };
    const connect = () => brokers.connect(another(), parts);
    const bus = connect();
    t.teardown(end);
    return {
      bus,
      async reopen() {
        await bus.close();
        return connect();
      },
      beside: async () => connect(),
      stall: async () => stall(1_000),
    };
  },
});

kvContract(test, {
  name: 'world',
  deadlineMs: 2_000,
  async open(): Promise<KvUnderTest> {
    const { simulation, end, stall, another } = startProcesses();
    const store = createWorldStore(simulation);
    const kv = store.connect(another());
    return {
      kv,
      // By its own clock, which falls behind the machine's when that is busy.
      advance: (ms) => simulation.clock.sleep(ms + 50),
      second: async () => store.connect(another()),
      async reopen() {
        await kv.close();
        return store.connect(another());
      },
      async stall() {
        stall(60_000);
        return async () => stall(0);
      },
      end,
    };
  },
});
