import { hash } from 'node:crypto';
import type { SyncStep } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { humanCount, plural } from '@ranger-relay/terminal';
import type { Label } from '../bundle/labels/label.ts';
import type { Bundle } from '../bundle/model.ts';
import type { PatrolRequirements } from '../bundle/patrols/requirements.ts';
import type { Item } from '../checklist/items.ts';
import { type Desired, firstNames } from '../resources/index.ts';
import {
  checkAttributeValues,
  checkBundleWarnings,
  checkLanguage,
  checkLegSpan,
  checkTimeCoverage,
  checkTimezone,
} from './bundle-checks.ts';
import { checkCollectionType, checkEventTypes } from './event-checks.ts';
import { type Facts, readFacts, type SiteFacts, valueOf } from './facts.ts';
import { affectedPatrols, type Finding, type FindingCode, generalFinding } from './finding.ts';
import { checkInactiveMembers, checkPermissions, checkSubjects } from './people-checks.ts';
import { checkChoices, checkForm, checkPatrolTypes, checkTeams } from './vocabulary-checks.ts';

/** What the checks know of the bundle and of the call. */
export interface Sources {
  readonly bundle: Bundle;
  readonly desired: Desired;
  readonly label: Label;
  readonly language: string;
  /** The timezone that the caller expects. */
  readonly timezone?: string | undefined;
  /** The environment variable of the exporter for the timezone, in messages. */
  readonly timezoneVariable?: string | undefined;
  /** The word of the external system in identifiers. */
  readonly word: string;
}

/** Looks at one thing; throws what kept it from reading the site. */
export type SiteCheck = (sources: Sources, facts: SiteFacts) => readonly Finding[];
export type BundleCheck = (sources: Sources) => readonly Finding[];

/** In the order in which somebody would mend them. */
const siteChecks: readonly (readonly [code: FindingCode, check: SiteCheck])[] = [
  ['permissions', checkPermissions],
  ['patrol_types', checkPatrolTypes],
  ['segment_schema', checkForm],
  ['subjects', checkSubjects],
  ['inactive_members', checkInactiveMembers],
  ['teams', checkTeams],
  ['event_types', checkEventTypes],
  ['collection_type', checkCollectionType],
  ['choices', checkChoices],
];

const bundleChecks: readonly (readonly [code: FindingCode, check: BundleCheck])[] = [
  ['timezone', checkTimezone],
  ['attribute_values', checkAttributeValues],
  ['leg_span', checkLegSpan],
  ['time_coverage', checkTimeCoverage],
  ['language', checkLanguage],
  ['bundle_warnings', checkBundleWarnings],
];

const checkFlag = ({ patrolSchemas }: Facts): readonly Finding[] => {
  if (valueOf(patrolSchemas)) return [];
  const about = {
    code: 'feature_flag',
    level: 'blocks',
    who: 'operator',
    message: 'The preview feature patrol_schemas of the site is off; nothing else of the site was looked at',
    remedy: 'Have it switched on by the operator of the site or the vendor',
  } as const;
  return [generalFinding(about, { examples: ['patrol_schemas'], affects: 'all' })];
};

const failedCheck = (check: string, error: unknown): Finding => {
  const about = {
    code: 'check_failed',
    level: 'blocks',
    who: 'site_admin',
    message: `The check ${check} could not run: ${toRelayError(error).message}`,
    remedy: 'Let the token read what the check needs, then rehearse again',
  } as const;
  return generalFinding(about, { examples: [check], affects: 'all' });
};

/** Runs a check; one that fails is a finding, and the others go on. */
const run = (code: FindingCode, check: () => readonly Finding[]): readonly Finding[] => {
  try {
    return check();
  } catch (error) {
    return [failedCheck(code, error)];
  }
};

/** Whether the patrols of a bundle would import. */
export interface Verdict {
  readonly patrols: number;
  /** Patrols that something stands in the way of; null where that is not known. */
  readonly blocked: number | null;
  readonly findings: readonly Finding[];
  readonly sentence: string;
}

const blockingIn = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ level }) => level === 'blocks');

/** Whether something stands in the way of an import. */
export const isBlocked = ({ findings }: Pick<Verdict, 'findings'>): boolean => blockingIn(findings).length > 0;

const codesOf = (findings: readonly Finding[]): string => [...new Set(findings.map(({ code }) => code))].join(', ');

const blockedIn = (blocking: readonly Finding[], requirements: PatrolRequirements): number => {
  if (blocking.some(({ affects }) => affects === 'all')) return requirements.patrols;
  return requirements.affectedBy(blocking.flatMap(({ affects }) => (typeof affects === 'string' ? [] : affects)));
};

const sentenceOf = (blocking: readonly Finding[], blocked: number, requirements: PatrolRequirements): string => {
  const { patrols, isComplete } = requirements;
  if (blocking.length === 0)
    return patrols === 0 ? 'No patrols to import.' : `${plural(patrols, 'patrol')} would import.`;
  const atLeast = isComplete || blocked === patrols ? '' : 'at least ';
  return `${plural(patrols - blocked, 'patrol')} would import, ${atLeast}${humanCount(blocked)} would not: ${codesOf(blocking)}.`;
};

/** Looks whether the patrols of a bundle would import on a site (contract of the exported bundle, 12). */
export const rehearse = (sources: Sources, facts: Facts): Verdict => {
  const { site } = facts;
  const findings = [
    ...run('feature_flag', () => checkFlag(facts)),
    ...(site === null ? [] : siteChecks.flatMap(([code, check]) => run(code, () => check(sources, site)))),
    ...bundleChecks.flatMap(([code, check]) => run(code, () => check(sources))),
  ];
  const { requirements } = sources.bundle;
  const blocking = blockingIn(findings);
  const blocked = blockedIn(blocking, requirements);
  return {
    patrols: requirements.patrols,
    blocked,
    findings: findings.toSorted((a, b) => Number(b.level === 'blocks') - Number(a.level === 'blocks')),
    sentence: sentenceOf(blocking, blocked, requirements),
  };
};

/** A verdict as JSON data; `patrols` says in numbers what the sentence says. */
export const verdictJson = (verdict: Verdict | undefined): object => {
  const { sentence = null, patrols = 0, blocked = null } = verdict ?? {};
  const counts = blocked === null ? null : { total: patrols, would_import: patrols - blocked, would_not: blocked };
  return { verdict: sentence, patrols: counts };
};

/** Findings as JSON data. */
export const findingsJson = ({ findings }: Verdict, requirements: PatrolRequirements): readonly object[] =>
  findings.map((finding) => {
    const { code, level, who, message, remedy, count, examples } = finding;
    return { code, level, who, message, remedy, count, examples, patrols: affectedPatrols(finding, requirements) };
  });

/** Reads the site and rehearses the import of the patrols. @throws RelayError as {@link readFacts} */
export const rehearseOn = async (site: Site, sources: Sources): Promise<Verdict> =>
  rehearse(sources, await readFacts(site, [...sources.desired.choices.keys()]));

/**
 * The verdict after a run or a comparison, whose outcome it never changes: what keeps it from being known is a finding.
 */
export const verdictAfter = async (site: Site, sources: Sources): Promise<Verdict> => {
  try {
    return await rehearseOn(site, sources);
  } catch (error) {
    const finding = failedCheck('the whole rehearsal', error);
    const { patrols } = sources.bundle.requirements;
    return { patrols, blocked: null, findings: [finding], sentence: `Not known: ${toRelayError(error).message}.` };
  }
};

/** What the checklist says beside the verdict: what its other items do not. */
const ownItems: ReadonlySet<FindingCode> = new Set(['feature_flag', 'teams', 'check_failed']);
const unshownCodes: ReadonlySet<FindingCode> = new Set(['choices', 'attribute_values']);

/** Whether patrols would import with values that the form of the site does not show. */
const isUnshown = ({ code, level }: Finding): boolean => level === 'warning' && unshownCodes.has(code);

/** What the findings mean for the patrols, a sentence for what stands in the way of them and one for what the form does not show. */
export const effectsOf = ({ findings }: Verdict): string[] => {
  const [blocking, unshown] = [blockingIn(findings), findings.filter(isUnshown)].map(codesOf);
  return [
    ...(blocking ? [`In the way of the import of patrols: ${blocking}.`] : []),
    ...(unshown ? [`Imported, and not shown in the form of the site: ${unshown}.`] : []),
  ];
};

/** The step that writes what a finding misses. */
const stepOfFinding: Partial<Record<FindingCode, SyncStep>> = {
  patrol_types: 'patrol_types',
  segment_schema: 'universal_patrol_fields',
  choices: 'choices',
  subjects: 'subjects',
};

/** Whether the next run writes what a finding misses, once what made its step fail is mended. */
const isOfRun = ({ code, who }: Finding, due: ReadonlySet<SyncStep>): boolean => {
  const step = stepOfFinding[code];
  return step !== undefined && who !== 'ext_admin' && due.has(step);
};

/** What a finding is about, however many patrols need it and wherever the first one stands. */
const aboutOf = ({ affects, count, examples }: Finding): unknown =>
  typeof affects === 'string' || affects.some(({ kind }) => kind === 'fault')
    ? [count, examples]
    : affects.map(({ kind, key }) => `${kind} ${key}`).toSorted();

/** The findings that somebody has to act on, as items of a checklist; `due` are the steps that the next run has to write. */
export const findingItems = ({ findings }: Verdict, due: ReadonlySet<SyncStep>): readonly Item[] =>
  findings
    .filter((finding) => isUnshown(finding) || (finding.level === 'blocks' && !ownItems.has(finding.code)))
    .filter((finding) => !isOfRun(finding, due))
    .map((finding) => {
      const { code, who, message, remedy, examples, count } = finding;
      return {
        // A tick was for what the item named then.
        id: `import.${code}.${who}.${hash('sha256', JSON.stringify(aboutOf(finding))).slice(0, 8)}`,
        who,
        text: `${message} (${count}): ${firstNames(examples, count)}. ${remedy}`,
        visible: true,
        done: false,
      };
    });
