import { plural } from '@ranger-relay/terminal';
import type { PatrolRequirements, Requirement } from '../bundle/patrols/requirements.ts';
import type { Actor } from '../checklist/items.ts';

/** What is looked at before patrols are imported (contract of the exported bundle, 12). */
export const findingCodes = [
  'feature_flag',
  'permissions',
  'patrol_types',
  'segment_schema',
  'subjects',
  'inactive_members',
  'teams',
  'event_types',
  'collection_type',
  'timezone',
  'choices',
  'attribute_values',
  'leg_span',
  'time_coverage',
  'language',
  'bundle_warnings',
  'check_failed',
] as const;

export type FindingCode = (typeof findingCodes)[number];

/** `blocks`: the import refuses patrols; `warning`: it takes them, but somebody should know. */
export type FindingLevel = 'blocks' | 'warning';

/** What one check found. Texts are plain, without markup. */
export interface Finding {
  readonly code: FindingCode;
  readonly level: FindingLevel;
  /** Who can do something about it. */
  readonly who: Actor;
  /** What it means. */
  readonly message: string;
  readonly remedy: string;
  /** Objects that it is about, and the first ten, with those that most patrols need in front. */
  readonly count: number;
  readonly examples: readonly string[];
  /** What the affected patrols need. */
  readonly affects: readonly Requirement[] | 'all' | 'none';
}

/** What a finding says, whatever it is about. */
type About = Pick<Finding, 'code' | 'level' | 'who' | 'message' | 'remedy'>;

/** A finding that is not about objects one by one. */
export const generalFinding = (
  about: About,
  { count = 1, examples = [], affects = 'none' }: Partial<Pick<Finding, 'count' | 'examples' | 'affects'>> = {},
): Finding => ({ ...about, count, examples: firstExamples(examples), affects });

/** One object that patrols need and that is not as they need it. */
export interface Lack {
  readonly text: string;
  readonly requirement: Requirement;
}

const examplesShown = 10;

/** The first ten of some texts. */
const firstExamples = (texts: readonly string[]): readonly string[] => texts.slice(0, examplesShown);

const exampleOf = ({ text, requirement: { patrols, first } }: Lack): string =>
  `${text}: ${plural(patrols, 'patrol')}, first ${first}`;

/** The finding about objects that patrols need; none when there are none. */
export const findingOf = (about: About, lacks: readonly Lack[]): Finding[] => {
  if (lacks.length === 0) return [];
  const sorted = lacks.toSorted((a, b) => b.requirement.patrols - a.requirement.patrols);
  const affects = lacks.map(({ requirement }) => requirement);
  return [generalFinding(about, { count: lacks.length, examples: sorted.map(exampleOf), affects })];
};

/** Number of the patrols that a finding affects. */
export const affectedPatrols = ({ affects }: Finding, requirements: PatrolRequirements): number => {
  if (affects === 'none') return 0;
  return affects === 'all' ? requirements.patrols : requirements.affectedBy(affects);
};
