import type { TestFn } from 'ava';
import { groupCases } from './contract/groups.ts';
import type { BusLane, ContractCase } from './contract/inbox.ts';
import { outcomeCases } from './contract/outcomes.ts';
import { publishCases } from './contract/publish.ts';
import { readingCases } from './contract/reading.ts';
import { togetherCases } from './contract/together.ts';

export { contractTopics, type BusLane, type BusHarness } from './contract/inbox.ts';

/** Fewer than these were run means that the adapter was not tested. */
const minCases = 25;

const cases: readonly ContractCase[] = [
  ...publishCases,
  ...outcomeCases,
  ...groupCases,
  ...togetherCases,
  ...readingCases,
];

/**
 * Runs the contract of the bus on an adapter: one test per case, each on storage of its own, and a last one that prints how many ran and
 * fails when they are fewer than 25.
 */
export const busContract = (test: TestFn, lane: BusLane): void => {
  let ran = 0;
  for (const { name, run } of cases)
    test.serial(`contract, ${lane.name}: ${name}`, async (t) => {
      await run(t, await lane.open(t), lane);
      ran += 1;
    });
  test.after.always(`contract, ${lane.name}: enough cases ran`, (t) => {
    t.log(`bus contract, ${lane.name}: ${ran} cases ran`);
    t.true(ran >= minCases);
  });
};
