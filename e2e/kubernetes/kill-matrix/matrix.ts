import { steps, type StepName } from '@ranger-relay/operator';
import type { Lived } from './life.ts';
import type { Kill } from './reaper.ts';

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
