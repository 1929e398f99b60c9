import { hash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import {
  type AreaNeeds,
  type PlannedChange,
  planText,
  type StepOutlook,
  type SyncOptions,
  type SyncPlan,
  type SyncStep,
  syncSteps,
} from '@ranger-relay/contracts';
import { lacksPermission, type Site, type SiteUser, subjectKeys } from '@ranger-relay/site';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { Bundle } from '../bundle/model.ts';
import { type Desired, desiredOf, firstNames, objectOf } from '../resources/index.ts';
import type { Label } from '../bundle/labels/label.ts';
import { type OtherArea, readKnownRecords } from '../run/known-records.ts';
import type { Disk } from '../run/machine.ts';
import { choicesBeside, neededChoices, planChoices, withFormOptions } from '../resources/choice.ts';
import { listsFor, modernizeForm } from '../form/modernize.ts';
import { fieldsBeside, neededFields, planForm } from '../resources/form.ts';
import { planTypes } from '../resources/patrol-type.ts';
import { planRoster } from '../resources/roster.ts';
import { checkWord, type Matches } from './match.ts';
import { overwriteWarnings, sinceLastRun } from './overwrites.ts';
import { describeUnreadable, type OnRead, rowWithValue, skippedStep, type StepPlan } from '../resources/resource.ts';
import { attempt, optionsIn, type Read, readSite, type SiteState } from './state.ts';
import { planSubjects, type SubjectsBeside, type SubjectsPlan } from './subjects.ts';

/**
 * What this area relies on, for the runs of other areas: what its bundle has in use. An area that leaves something in use for another one does
 * not rely on it; else two areas would keep it in use for each other when neither uses it any more.
 */
const needsOf = ({ asked, desired }: PlanSources, { byMember }: Matches): AreaNeeds => {
  const { types, choices, people } = asked;
  const unused = asked.fields.flatMap(({ property, deprecated }) => (deprecated ? [property] : []));
  // The import of its patrols needs the type of an inactive transport too.
  const typesIn = (use: boolean): string[] =>
    types.flatMap(({ value, isActive, isUsed }) => ((isActive || isUsed) === use ? [value] : []));
  return {
    patrol_types: typesIn(true),
    choices: neededChoices(choices),
    fields: neededFields(desired.fields.filter(({ property }) => !unused.includes(property))),
    subjects: Object.fromEntries(people.subjects.map(({ member }) => [member, byMember.get(member)?.id ?? null])),
    unused: {
      patrol_types: typesIn(false),
      fields: unused,
    },
  };
};

/**
 * Keeps what other areas rely on: an option or field that another area needs is never switched off, and a field never changes its kind
 * (site contract, 6, writing beside others). `kept` describes the exceptions to the operator.
 */
const besideOthers = (
  desired: Desired,
  state: SiteState,
  others: readonly OtherArea[],
): { readonly desired: Desired; readonly kept: readonly string[] } => {
  if (others.length === 0) return { desired, kept: [] };
  const kept: string[] = [];
  const form = 'value' in state.form ? state.form.value : null;
  const fields = fieldsBeside(desired.fields, form, others, kept);
  const present = 'value' in state.choices ? state.choices.value : undefined;
  return { desired: { ...desired, fields, choices: choicesBeside(desired.choices, present, others, kept) }, kept };
};

/** The input of planning a run. */
export interface PlanInput {
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Site;
  readonly disk: Disk;
  /** Folder of the run records. */
  readonly folder: string;
  readonly tool: string;
  /** ISO time. */
  readonly now: string;
  /** Whether the run creates again the subjects that records list and the site does not show. */
  readonly recreateMissing?: boolean | undefined;
  /** Whether somebody set the word of the run; one by default is refused where the site or the bundle has another. */
  readonly isWordSet: boolean;
  readonly onRead?: OnRead;
}

/** What a plan is made from. */
interface PlanSources extends PlanInput {
  /** What the bundle asks for. */
  readonly asked: Desired;
  /** What the run brings about beside other areas and the form of the site. */
  readonly desired: Desired;
  readonly state: SiteState;
  readonly beside: SubjectsBeside;
}

/** A plan with the additional data that the run, the terminal output and the checklist need. */
export interface Prepared extends Pick<PlanSources, 'desired' | 'state' | 'beside'> {
  readonly plan: SyncPlan;
  /** Steps that cannot be carried out, with the reason. */
  readonly failures: ReadonlyMap<SyncStep, RelayError>;
  readonly warnings: readonly string[];
  /** What a person must do on the site because the steps leave it. */
  readonly remarks: readonly string[];
  /** What the steps leave for other areas although the bundle asks for it, and what they rebuild: nobody has to do anything. */
  readonly notes: readonly string[];
  /** Those remarks that name something that the site lacks. */
  readonly heldBack: readonly string[];
  /** Number of active subjects of the area; the default limit of deactivations is a part of it. */
  readonly ours: number;
  readonly matches: Matches;
}

/** The hash of a plan, SHA-256 in hex. */
export const hashOf = (plan: Omit<SyncPlan, 'hash'>): string => hash('sha256', planText(plan));

const noMatches: Matches = { byMember: new Map(), ambiguous: [] };

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

/** The action that a change needs a permission for. */
const actionOf = ({ action }: PlannedChange): string => (action === 'created' ? 'add' : 'change');

/** Fails for a step that the token visibly may not write, so that no plan promises it. @throws RelayError `site_forbidden` */
const permitted = (planned: StepPlan, user: SiteUser, model: string, target: string): StepPlan => {
  const lacking = planned.changes.filter((change) => lacksPermission(user, model, actionOf(change)));
  const [first] = lacking;
  if (!first) return planned;
  const details = {
    target: `${target} (${firstNames(lacking.map(objectOf))})`,
    permission: `${actionOf(first)}_${model}`,
  };
  throw new RelayError('site_forbidden', { details });
};

/** What the bundle asks for, with the options that a form of 2025 holds itself and that its fields are to refer to. */
const withOptionsOfForm = (
  asked: Desired,
  { form, choices }: SiteState,
  options: SyncOptions,
  label: Label,
): Desired => {
  if (!options.modernize_form || options.replace_segment_schema) return asked;
  if ('failure' in form || form.value === null || 'failure' in choices) return asked;
  const { missing } = modernizeForm(form.value, choices.value);
  return { ...asked, choices: withFormOptions(asked.choices, missing, choices.value, label) };
};

const formStep = (
  { desired, state, options, beside }: PlanSources,
  failures: Map<SyncStep, RelayError>,
  warn: (text: string) => void,
) => {
  if (!state.patrolSchemas) return skippedStep('feature_off');
  if ('failure' in state.form) return failed('universal_patrol_fields', state.form.failure, failures);
  // Without the choices nobody knows which options the form would lose.
  if (options.modernize_form && 'failure' in state.choices && listsFor(state.form.value).length > 0)
    return failed('universal_patrol_fields', state.choices.failure, failures);
  const planned = planForm(state.form.value, desired.fields, {
    replace: options.replace_segment_schema,
    modernize: options.modernize_form,
    options: optionsIn(state),
    others: beside.others,
    newSection: desired.newSection,
  });
  for (const text of planned.warnings) warn(text);
  if (planned.failure) return failed('universal_patrol_fields', planned.failure, failures);
  return orFailed('universal_patrol_fields', failures, () =>
    permitted(planned, state.user, 'segmenttype', 'PUT activity/patrols/segments/types/default/'),
  );
};

/** Plans all steps; a step whose data could not be read is left out. */
const planRun = (sources: PlanSources): Prepared => {
  const { bundle, desired, state, beside } = sources;
  const { unreadable } = state;
  const failures = new Map<SyncStep, RelayError>();
  const warnings: string[] = [];
  const from = <T, P extends StepPlan>(step: SyncStep, read: Read<T>, plan: (value: T) => P): P | StepPlan =>
    'failure' in read ? failed(step, read.failure, failures) : orFailed(step, failures, () => plan(read.value));

  const subjects: SubjectsPlan | StepPlan = from('subjects', state.subjects, (present) => {
    warnings.push(...checkWord({ ...sources, people: desired.people, present }));
    return planSubjects(present, desired.people, bundle.manifest.area, beside, unreadable.subjects);
  });
  const matches = 'matches' in subjects ? subjects.matches : noMatches;
  for (const { member, taken, others } of matches.ambiguous)
    warnings.push(`${others + 1} subjects stand for employee ${member}; "${taken.name}" (${taken.id}) is taken`);
  const held = 'membersHeldBack' in subjects ? subjects.membersHeldBack : new Set();
  const joining = desired.people.subjects.filter(({ member }) => !held.has(member));
  const roster = (): StepPlan =>
    failures.has('subjects')
      ? skippedStep('subjects_unknown')
      : from('roster', state.roster, (present) => planRoster(present, joining, matches));

  const steps: Readonly<Record<SyncStep, StepPlan>> = {
    patrol_types: from('patrol_types', state.types, (present) =>
      permitted(
        planTypes(present, desired.types, unreadable.types, beside.others),
        state.user,
        'patroltype',
        'POST activity/patrols/types/',
      ),
    ),
    universal_patrol_fields: formStep(sources, failures, (text) => warnings.push(text)),
    choices: from('choices', state.choices, (present) => planChoices(present, desired.choices, unreadable.choices)),
    subjects,
    roster: roster(),
  };
  const heldBack = syncSteps.flatMap((step) => steps[step].heldBack ?? []);
  const remarks = [...syncSteps.flatMap((step) => steps[step].remarks ?? []), ...heldBack];
  warnings.push(...describeUnreadable(Object.values(unreadable).flat()));
  return {
    desired,
    state,
    beside,
    plan: assemble(sources, steps, matches),
    failures,
    warnings,
    remarks,
    notes: syncSteps.flatMap((step) => steps[step].notes ?? []),
    heldBack,
    ours: 'ours' in subjects ? subjects.ours : 0,
    matches,
  };
};

const outlookOf = ({ unchanged, others, skipped }: StepPlan): StepOutlook => ({ unchanged, others, skipped });

const assemble = (sources: PlanSources, steps: Readonly<Record<SyncStep, StepPlan>>, matches: Matches): SyncPlan => {
  const { bundle, desired, options, tool, now } = sources;
  const { area, path, exportedAt, sha256 } = bundle.manifest;
  const changes = syncSteps.flatMap((step): readonly PlannedChange[] => steps[step].changes);
  const plan = {
    format: 'patrol-datamodel-plan',
    format_version: '1.0',
    tool,
    created_at: now,
    site: sources.site.identity,
    conservation_area: area,
    bundle: { path, exported_at: exportedAt, sha256 },
    options,
    logins_left_out: desired.people.logins.size,
    steps: Object.fromEntries(syncSteps.map((step) => [step, outlookOf(steps[step])])) as SyncPlan['steps'],
    changes,
    needs: needsOf(sources, matches),
  } as const satisfies Omit<SyncPlan, 'hash'>;
  return { ...plan, changes: [...changes], hash: hashOf({ ...plan, changes: [...changes] }) };
};

/**
 * The types of the site, or the reason why those that the bundle asks for cannot be written. A site may list no inactive type at all; so where
 * it lists none, each type that seems missing is asked for by its value.
 */
const typesOf = async (
  site: Site,
  { types, unreadable }: SiteState,
  { types: desired }: Desired,
): Promise<SiteState['types']> => {
  if ('failure' in types) return types;
  const { value: listed } = types;
  return attempt(async () => {
    const isListed = (wanted: string): boolean =>
      listed.some(({ value }) => value === wanted) ||
      rowWithValue(unreadable.types, (value) => value === wanted) !== undefined;
    const missing = desired.filter(({ value }) => !isListed(value));
    const mayHide = listed.every(({ is_active }) => is_active);
    const hidden = await Promise.all(mayHide ? missing.map(({ value }) => site.patrolType(value)) : []);
    const present = [...listed, ...hidden.flatMap((type) => type ?? [])];
    if (planTypes(present, desired).changes.length > 0) await site.checkPatrolTypesWritable();
    return present;
  });
};

/** Says that a run before did not finish and that the record of this one, of another bundle or in another folder, does not go on with it. */
const unfinishedWarnings = ({ plan, beside: { unfinished } }: Prepared, folder: string): string[] => {
  if (!unfinished || plan.changes.length === 0) return [];
  const isOther = unfinished.bundle !== plan.bundle.sha256;
  if (!isOther && dirname(unfinished.path) === resolve(folder)) return [];
  const why = isOther ? 'was of another bundle' : 'has its record in another folder';
  return [
    `the run recorded in ${unfinished.path} did not finish, and ${why}; undoing the new run leaves what it wrote: undo both records`,
  ];
};

const unreadableWarnings = (errors: readonly RelayError[]): string[] =>
  errors.map(({ message }) => `${message}; what this record says of other areas and earlier runs is not known`);

/** Reads the site and the records of earlier runs, and plans the run. Writes nothing. @throws RelayError `site_unauthorized`, `site_unavailable`, … */
export const prepare = async (input: PlanInput): Promise<Prepared> => {
  const { bundle, label, options, site, disk, folder, recreateMissing = false, onRead } = input;
  const { area, exportedAt } = bundle.manifest;
  const known = await readKnownRecords(disk, folder, site.identity, area.uuid);
  const asked = desiredOf(bundle, label, options.subject_name_suffix);
  const read = await readSite(site, {
    choiceFields: [...asked.choices.keys()],
    rosterGroup: options.roster_group ?? undefined,
    readsTeams: bundle.teams.length > 0 || bundle.usage.teams.size > 0,
    ...(onRead ? { onRead } : {}),
  });
  const state = { ...read, types: await typesOf(site, read, asked) };
  const { desired, kept } = besideOthers(withOptionsOfForm(asked, state, options, label), state, known.others);
  const mayRecreate = state.user.isSuperuser || recreateMissing;
  const beside = { ...known, keys: subjectKeys(options.word), exportedAt, mayRecreate };
  const planned = planRun({ ...input, asked, desired, state, beside });
  const notes = [...kept, ...planned.notes];
  const present = 'value' in state.subjects ? state.subjects.value : [];
  const warnings = [
    ...planned.warnings,
    ...notes,
    ...planned.remarks,
    ...overwriteWarnings(planned.plan, known.lastValues, present),
    ...sinceLastRun(known.last, asked, exportedAt),
    ...unfinishedWarnings(planned, folder),
    ...unreadableWarnings(known.unreadable),
  ];
  return { ...planned, notes, warnings };
};
