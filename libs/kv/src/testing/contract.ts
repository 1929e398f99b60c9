import type { ChildProcess } from 'node:child_process';
import type { ExecutionContext, TestFn } from 'ava';
import type { KeyValue } from '../port.ts';
import { conditionalCases } from './cases/conditional.ts';
import { expiryCases } from './cases/expiry.ts';
import { faultCases } from './cases/faults.ts';
import { plainCases } from './cases/plain.ts';
import { turnCases } from './cases/turns.ts';

/** A store under test, at a place of its own that outlives closing. */
export interface KvUnderTest {
  readonly kv: KeyValue;
  /** Lets so many ms pass for expiry and deadlines: a manual clock moves, a real store waits. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock. Left out for a store whose server has a clock of its own. */
  jump?(ms: number): void;
  /** A second client of the same place, open at the same time. */
  second(): Promise<KeyValue>;
  /** Closes the store and opens it again. */
  reopen(): Promise<KeyValue>;
  /** Makes the store hang; the returned function ends it. */
  stall(): Promise<() => Promise<void>>;
  /**
   * A process of its own that writes `n` = `0`, `1`, ... to keys `child.<n>` of the space `state`, one after the other without end,
   * and prints each `n` in a line after the store has answered. Left out where the entries end with their process.
   */
  writer?(): Promise<ChildProcess>;
  /** Closes everything and forgets the place. */
  end(): Promise<void>;
}

/** An adapter to put under the suite. */
export interface KvAdapter {
  /** Begins the names of the tests. */
  readonly name: string;
  /** Deadline of each call, ms. */
  readonly deadlineMs: number;
  open(): Promise<KvUnderTest>;
}

/** One guarantee. */
export interface KvCase {
  readonly name: string;
  run(t: ExecutionContext, store: KvUnderTest, adapter: KvAdapter): Promise<void>;
}

const cases: readonly KvCase[] = [...plainCases, ...expiryCases, ...conditionalCases, ...turnCases, ...faultCases];

const minCases = 20;

/** Runs every case of the key-value contract on an adapter; the run fails when fewer than 20 cases ran. */
export const kvContract = (test: TestFn, adapter: KvAdapter): void => {
  let ran = 0;
  for (const { name, run } of cases)
    test.serial(`${adapter.name}: ${name}`, async (t) => {
      const store = await adapter.open();
      try {
        await run(t, store, adapter);
        ran += 1;
      } finally {
        await store.end();
      }
    });
  test.after(`${adapter.name}: the contract ran`, (t) => {
    t.log(`key-value contract, ${adapter.name}: ${ran} cases ran`);
    t.true(ran >= minCases, `only ${ran} of at least ${minCases} cases ran`);
  });
};
