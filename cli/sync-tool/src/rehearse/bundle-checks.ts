import { isRelayError } from '@ranger-relay/errors';
import { plural } from '@ranger-relay/terminal';
import type { PatrolFaultKind } from '../bundle/patrols/requirements.ts';
import { assertTimezone } from '../bundle/time/time.ts';
import { type Finding, generalFinding } from './finding.ts';
import type { BundleCheck } from './rehearse.ts';
import { needed } from './vocabulary-checks.ts';

const timezoneFinding = (level: Finding['level'], message: string, remedy: string): Finding =>
  generalFinding({ code: 'timezone', level, who: 'ext_admin', message, remedy }, { affects: 'all' });

/** The timezone that timestamps are in. */
export const checkTimezone: BundleCheck = ({ bundle, timezone, timezoneVariable }) => {
  try {
    return assertTimezone(bundle.manifest, timezone, timezoneVariable).map((message) =>
      timezoneFinding(
        'warning',
        message,
        'Pass --timezone when it is right, otherwise export again with the right one',
      ),
    );
  } catch (error) {
    if (!isRelayError(error, 'timezone_mismatch')) throw error;
    return [timezoneFinding('blocks', error.message, 'Correct --timezone, or export again with the right timezone')];
  }
};

/** Something about the bundle that stands in the way of nothing; none for a count of 0. */
const warningOf = (
  about: Pick<Finding, 'code' | 'message' | 'remedy'>,
  more: Pick<Finding, 'count'> & Partial<Pick<Finding, 'examples' | 'affects'>>,
): Finding[] => (more.count === 0 ? [] : [generalFinding({ ...about, level: 'warning', who: 'ext_admin' }, more)]);

const valueFaults = ['unknown_attribute', 'unknown_option', 'text_in_number'] as const;

/** Values of custom attributes that the form cannot show. */
export const checkAttributeValues: BundleCheck = (sources) => {
  const { bundle, label } = sources;
  const attributes = new Map(bundle.attributes.map((attribute) => [attribute.uuid, attribute]));
  const inactive = needed(sources, 'field').filter(({ key }) => attributes.get(key)?.isActive === false);
  const faults = valueFaults.flatMap((kind) => bundle.requirements.faults[kind] ?? []);
  const inactiveTexts = inactive.map(({ key, patrols, first }) => {
    const { names = new Map<string, string>(), key: name } = attributes.get(key) ?? {};
    return `the attribute "${label(names, name ?? key, 100)}" is inactive: ${plural(patrols, 'patrol')}, first ${first}`;
  });
  const kinds: readonly string[] = valueFaults;
  return warningOf(
    {
      code: 'attribute_values',
      message:
        'Patrols have values that no list has, of attributes that do not exist or are inactive, or texts for numbers',
      remedy: 'Correct them in the external system and export again, or accept that the form does not show them',
    },
    {
      count: faults.reduce((sum, each) => sum + each.count, inactive.length),
      examples: [...faults.flatMap(({ examples }) => examples), ...inactiveTexts],
      affects: [...inactive, ...needed(sources, 'fault').filter(({ key }) => kinds.includes(key))],
    },
  );
};

/** Legs beyond their patrols. */
export const checkLegSpan: BundleCheck = (sources) => {
  const code: PatrolFaultKind = 'leg_span';
  const { count = 0, examples = [] } = sources.bundle.requirements.faults[code] ?? {};
  return warningOf(
    {
      code,
      message: 'Legs end before they start, or go beyond the dates of their patrols',
      remedy: 'Correct the dates in the external system and export again, or accept the span of the legs',
    },
    { count, examples, affects: needed(sources, 'fault').filter(({ key }) => key === code) },
  );
};

/** Days or legs of which only the date is known. */
export const checkTimeCoverage: BundleCheck = ({ bundle: { manifest, requirements } }) => {
  const { timeCoverage: times } = manifest;
  const [count, total, what] = times
    ? [times.dateOnly, times.days, 'day']
    : [requirements.legsWithoutTimes, requirements.legs, 'leg'];
  return warningOf(
    {
      code: 'time_coverage',
      message: `Of ${count} of ${plural(total, what)} only the date is known; on the site they last the whole day`,
      remedy: 'Enter the times in the external system and export again, or accept whole days',
    },
    { count },
  );
};

/** Labels that the chosen language lacks. */
export const checkLanguage: BundleCheck = ({ bundle, language }) => {
  const {
    total = 0,
    labelled = 0,
    coverage = 1,
  } = bundle.manifest.languages.find(({ code }) => code === language) ?? {};
  const count = coverage >= 1 ? 0 : total - labelled;
  return warningOf(
    {
      code: 'language',
      message: `${count} of ${plural(total, 'label')} are missing in ${language}; other languages stand in for them`,
      remedy: 'Translate them in the external system and export again, or choose another --ext-language',
    },
    { count },
  );
};

/** What the reader of the bundle, or its exporter, warned of. */
export const checkBundleWarnings: BundleCheck = ({ bundle: { warnings } }) =>
  warningOf(
    {
      code: 'bundle_warnings',
      message: 'The bundle has irregularities',
      remedy: 'Correct them in the external system and export again where they matter',
    },
    { count: warnings.length, examples: warnings.map(({ text }) => text) },
  );
