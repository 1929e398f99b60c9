import { createHash } from 'node:crypto';
import {
  type PlannedChange,
  planText,
  type StepOutlook,
  type SyncOptions,
  type SyncPlan,
  type SyncStep,
  syncSteps,
} from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { Bundle } from '../bundle/model.ts';
import { type Desired, desiredOf } from '../desired/index.ts';
import type { Label } from '../bundle/labels/label.ts';
import { besideOthers, needsOf, type SubjectsBeside } from './beside.ts';
import { type Read, type ReadOptions, readSite, type SiteState } from './read-site.ts';
import type { KnownRecords } from '../run/known-records.ts';
import { planChoices } from '../resources/choice.ts';
import { planForm } from '../resources/form.ts';
import { planTypes } from '../resources/patrol-type.ts';
import { planRoster } from '../resources/roster.ts';
import type { Matches } from './match.ts';
import { skippedStep, type StepPlan } from '../resources/resource.ts';
import { planSubjects, type SubjectsPlan } from './subjects.ts';

/** The input of a plan. */
export interface PlanSources {
  readonly bundle: Bundle;
  readonly desired: Desired;
  readonly state: SiteState;
  readonly options: SyncOptions;
  readonly beside: SubjectsBeside;
  readonly site: string;
  readonly tool: string;
  /** ISO time. */
  readonly now: string;
}

/** A plan with the additional data that the run, the terminal output and the checklist need. */
interface PlannedRun {
  readonly plan: SyncPlan;
  /** Steps that cannot be carried out, with the reason. */
  readonly failures: ReadonlyMap<SyncStep, RelayError>;
  readonly warnings: readonly string[];
  /** Number of active subjects that earlier runs created for this area. */
  readonly ours: number;
  readonly matches: Matches;
}

/** The hash of a plan, SHA-256 in hex. */
export const hashOf = (plan: Omit<SyncPlan, 'hash'>): string =>
  createHash('sha256').update(planText(plan)).digest('hex');

const noMatches: Matches = { byMember: new Map(), ambiguous: [] };

const formStep = (
  { desired, state, options }: PlanSources,
  failures: Map<SyncStep, RelayError>,
  warn: (text: string) => void,
) => {
  if (!state.patrolSchemas) return skippedStep('feature_off');
  if ('failure' in state.form) return failed('universal_patrol_fields', state.form.failure, failures);
  const planned = planForm(state.form.value, desired.fields, options.replace_segment_schema);
  for (const { path, text } of planned.faultsBefore) warn(`The site's form had a fault before: ${text} at ${path}`);
  const [fault] = planned.faultsBrought;
  if (!fault) return planned;
  const error = new RelayError('form_invalid', { details: { reason: fault.text, path: fault.path } });
  return failed('universal_patrol_fields', error, failures);
};

const failed = (step: SyncStep, failure: RelayError, failures: Map<SyncStep, RelayError>): StepPlan => {
  failures.set(step, failure);
  return skippedStep(failure.code);
};

/** Plans a step; an error makes the step fail with that reason. */
const orFailed = <P>(step: SyncStep, failures: Map<SyncStep, RelayError>, plan: () => P): P | StepPlan => {
  try {
    return plan();
  } catch (error) {
    return failed(step, toRelayError(error), failures);
  }
};

/** Plans all steps; a step whose data could not be read is left out. */
const planRun = (sources: PlanSources): PlannedRun => {
  const { bundle, desired, state, beside } = sources;
  const failures = new Map<SyncStep, RelayError>();
  const warnings: string[] = [];
  const from = <T, P extends StepPlan>(step: SyncStep, read: Read<T>, plan: (value: T) => P): P | StepPlan =>
    'failure' in read ? failed(step, read.failure, failures) : orFailed(step, failures, () => plan(read.value));

  const subjects: SubjectsPlan | StepPlan = from('subjects', state.subjects, (present) =>
    planSubjects(present, desired.people, bundle.manifest.area, beside),
  );
  const matches = 'matches' in subjects ? subjects.matches : noMatches;
  for (const { member, taken, others } of matches.ambiguous)
    warnings.push(`${others + 1} subjects stand for employee ${member}; "${taken.name}" (${taken.id}) is taken`);
  const roster = (): StepPlan =>
    failures.has('subjects')
      ? skippedStep('subjects_unknown')
      : from('roster', state.roster, (present) => planRoster(present, desired.people.subjects, matches));

  const steps: Readonly<Record<SyncStep, StepPlan>> = {
    patrol_types: from('patrol_types', state.types, (present) => planTypes(present, desired.types)),
    universal_patrol_fields: formStep(sources, failures, (text) => warnings.push(text)),
    choices: from('choices', state.choices, (present) => planChoices(present, desired.choices)),
    subjects,
    roster: roster(),
  };
  return {
    plan: assemble(sources, steps, matches),
    failures,
    warnings,
    ours: 'ours' in subjects ? subjects.ours : 0,
    matches,
  };
};

const outlookOf = ({ unchanged, others, skipped }: StepPlan): StepOutlook => ({ unchanged, others, skipped });

const assemble = (
  { bundle: { manifest }, desired, options, site, tool, now }: PlanSources,
  steps: Readonly<Record<SyncStep, StepPlan>>,
  matches: Matches,
): SyncPlan => {
  const { area, path, exportedAt, sha256 } = manifest;
  const changes = syncSteps.flatMap((step): readonly PlannedChange[] => steps[step].changes);
  const plan = {
    format: 'patrol-datamodel-plan',
    format_version: '1.0',
    tool,
    created_at: now,
    site,
    conservation_area: area,
    bundle: { path, exported_at: exportedAt, sha256 },
    options,
    logins_left_out: desired.people.logins.size,
    steps: Object.fromEntries(syncSteps.map((step) => [step, outlookOf(steps[step])])) as SyncPlan['steps'],
    changes,
    needs: needsOf(desired, matches),
  } as const satisfies Omit<SyncPlan, 'hash'>;
  return { ...plan, changes: [...changes], hash: hashOf({ ...plan, changes: [...changes] }) };
};

/** The input of planning a run. */
export interface PrepareOptions {
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Site;
  readonly tool: string;
  /** ISO time. */
  readonly now: string;
  /** The records stored in the same folders as those of this run. */
  readonly known: KnownRecords;
  /** Whether the run creates again the subjects that records list and the site does not show. */
  readonly recreateMissing?: boolean | undefined;
  readonly onRead?: NonNullable<ReadOptions['onRead']>;
}

/** A planned run, ready to be carried out. */
export interface Prepared {
  readonly desired: Desired;
  readonly state: SiteState;
  readonly beside: SubjectsBeside;
  /** Descriptions of what stays unchanged because other areas rely on it. */
  readonly kept: readonly string[];
  readonly planned: PlannedRun;
}

/** Reads the site and plans the run. Writes nothing. @throws RelayError `site_unauthorized`, `site_unavailable`, … */
export const prepare = async (parts: PrepareOptions): Promise<Prepared> => {
  const { bundle, label, options, site, tool, now, known, recreateMissing = false, onRead } = parts;
  const asked = desiredOf(bundle, label, options.subject_name_suffix);
  const state = await readSite(site, {
    choiceFields: [...asked.choices.keys()],
    rosterGroup: options.roster_group ?? undefined,
    ...(onRead ? { onRead } : {}),
  });
  const { desired, kept } = besideOthers(asked, state, known.others, options.replace_segment_schema);
  const mayRecreate = state.user.isSuperuser || recreateMissing;
  const beside = { ...known, exportedAt: bundle.manifest.exportedAt, mayRecreate };
  const planned = planRun({ bundle, desired, state, options, beside, site: site.identity, tool, now });
  return { desired, state, beside, kept, planned: { ...planned, warnings: [...planned.warnings, ...kept] } };
};
