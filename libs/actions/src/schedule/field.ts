/** One of the five fields of a crontab: its bounds, and names that stand for numbers. */
export interface FieldKind {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The fields in their order (platform contract, 5). Names count from the lower bound; Sunday is 0 and 7. */
export const fieldKinds = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day of week', min: 0, max: 7, names: days },
] as const satisfies readonly FieldKind[];

/** Bounds of the offset behind the fields, hours from UTC. */
export const [minOffset, maxOffset] = [-12, 14];

/** What is wrong with a field, in words. */
export class FieldProblem extends Error {}

const numberOf = (text: string, { name, min, max, names }: FieldKind): number => {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + min : /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new FieldProblem(`${name} "${text}" is not between ${min} and ${max}`);
  return value;
};

const stepOf = (text: string | undefined, kind: FieldKind, part: string): number => {
  if (text === undefined) return 1;
  const step = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (step === 0) throw new FieldProblem(`the step of ${kind.name} "${part}" is not a number over 0`);
  return step;
};

const boundsOf = (range: string, kind: FieldKind, hasStep: boolean): readonly [number, number] => {
  if (range === '*') return [kind.min, kind.max];
  const [from = '', to, ...more] = range.split('-');
  if (more.length > 0) throw new FieldProblem(`${kind.name} "${range}" is no range`);
  const first = numberOf(from, kind);
  if (to === undefined) {
    if (hasStep) throw new FieldProblem(`${kind.name} "${range}" is one number and takes no step`);
    return [first, first];
  }
  const last = numberOf(to, kind);
  if (last < first) throw new FieldProblem(`${kind.name} "${range}" runs backwards`);
  return [first, last];
};

/** The numbers that a field stands for. @throws FieldProblem */
export const parseField = (text: string, kind: FieldKind): ReadonlySet<number> => {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step, ...more] = part.split('/');
    if (more.length > 0) throw new FieldProblem(`${kind.name} "${part}" has two steps`);
    const [first, last] = boundsOf(range, kind, step !== undefined);
    const by = stepOf(step, kind, part);
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return values;
};
