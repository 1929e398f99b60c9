import { isDeepStrictEqual } from 'node:util';
import { steps, type StepName } from '@ranger-relay/operator';
import type { Lived } from './life.ts';
import { countOf, lifeOf, names, sides } from './matrix.ts';

const head = ['step', 'calls beside the status', 'calls in a life', 'died before', 'died after', 'end'];

const rowOf = (step: StepName, first: Lived, lives: ReadonlyMap<string, Lived>): readonly string[] => {
  const disturbed = sides.map((side) => lives.get(lifeOf(step, side)));
  const same = disturbed.every((each) => each && isDeepStrictEqual(each.end, first.end));
  const counts = [first.done, ...disturbed.map((each) => each?.deaths ?? [])].map((points) => countOf(step, points));
  return [step, steps[step].call, ...counts.map(String), same ? 'the same' : 'ANOTHER'];
};

/** The kill matrix as a Markdown table: a row for each step, against the life that nobody disturbed. */
export const tableOf = (first: Lived, lives: ReadonlyMap<string, Lived>): string =>
  [head, head.map(() => '---'), ...names.map((step) => rowOf(step, first, lives))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
