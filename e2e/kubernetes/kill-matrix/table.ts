import { isDeepStrictEqual } from 'node:util';
import { type StepName, steps } from '@ranger-relay/operator';
import type { Lived } from './life.ts';
import type { Kill } from './killer.ts';

/** Every step of the operator. */
export const names = Object.keys(steps) as readonly StepName[];
/** On which side of a call a replica dies. */
export const sides = ['before', 'after'] as const;

/** What each Job comes to be, and ends, by: a life for each of these steps. */
const ofEachJob: readonly StepName[] = ['CreateJob', 'RecordJob', 'ReleaseJob', 'RecordEnd'];

/** A step that brings something about comes in every life, however fast anybody looks. */
export const isSure = (step: StepName): boolean =>
  steps[step].call !== 'nothing' || [...ofEachJob, 'StepAside'].includes(step);

/** What is rare, and what only says what is waited for, shares a life. */
const lives: readonly (readonly StepName[])[] = [
  ...ofEachJob.map((step) => [step]),
  names.filter((step) => isSure(step) && !ofEachJob.includes(step)),
  names.filter((step) => !isSure(step)),
];

/** All lives that are disturbed, by the name of the namespace that they are lived in. */
export const kills: ReadonlyMap<string, Kill> = new Map(
  lives.flatMap((group) => sides.map((when) => [`life-${group[0]?.toLowerCase()}-${when}`, { steps: group, when }])),
);

/** The life in which the operator dies on this side of the calls of a step. */
export const lifeOf = (step: StepName, side: Kill['when']): string =>
  [...kills].find(([, { steps: group, when }]) => when === side && group.includes(step))?.[0] ?? '';

/** What the calls of a step were about, each once. */
export const aboutOf = (step: StepName, points: Lived['done']): readonly string[] =>
  [...new Set(points.filter((point) => point.step === step).map(({ what }) => what))].toSorted();

/** How many calls of a step were made, or died of. */
export const countOf = (step: StepName, points: Lived['done']): number =>
  new Set(points.filter((point) => point.step === step).map(({ key }) => key)).size;

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
