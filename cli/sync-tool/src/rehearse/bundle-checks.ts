import { isRelayError } from '@ranger-relay/errors';
import { plural } from '@ranger-relay/terminal';
import type { PatrolFaultKind } from '../bundle/patrols/requirements.ts';
import { assertTimezone } from '../bundle/time/time.ts';
import { type Finding, firstExamples } from './finding.ts';
import type { BundleCheck } from './rehearse.ts';
import { needed } from './vocabulary-checks.ts';

const timezoneFinding = (level: Finding['level'], message: string, remedy: string): Finding => ({
  code: 'timezone',
  level,
  who: 'ext_admin',
  message,
  remedy,
  count: 1,
  examples: [],
  affects: 'all',
});

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

const valueFaults = ['unknown_attribute', 'unknown_option', 'text_in_number'] as const;

/** Values of custom attributes that the form cannot show. */
export const checkAttributeValues: BundleCheck = (sources) => {
  const { bundle, label } = sources;
  const { requirements } = bundle;
  const attributes = new Map(bundle.attributes.map((attribute) => [attribute.uuid, attribute]));
  const inactive = needed(sources, 'field').filter(({ key }) => attributes.get(key)?.isActive === false);
  const faults = valueFaults.flatMap((kind) => requirements.faults[kind] ?? []);
  const count = faults.reduce((sum, each) => sum + each.count, inactive.length);
  if (count === 0) return [];
  const inactiveTexts = inactive.map(({ key, patrols, first }) => {
    const { names = new Map<string, string>(), key: name } = attributes.get(key) ?? {};
    return `the attribute "${label(names, name ?? key, 100)}" is inactive: ${plural(patrols, 'patrol')}, first ${first}`;
  });
  const kinds: readonly string[] = valueFaults;
  return [
    {
      code: 'attribute_values',
      level: 'warning',
      who: 'ext_admin',
      message:
        'Patrols have values that no list has, of attributes that do not exist or are inactive, or texts for numbers',
      remedy: 'Correct them in the external system and export again, or accept that the form does not show them',
      count,
      examples: firstExamples([...faults.flatMap(({ examples }) => examples), ...inactiveTexts]),
      affects: [...inactive, ...needed(sources, 'fault').filter(({ key }) => kinds.includes(key))],
    },
  ];
};

/** Legs beyond their patrols. */
export const checkLegSpan: BundleCheck = (sources) => {
  const kind: PatrolFaultKind = 'leg_span';
  const faults = sources.bundle.requirements.faults[kind];
  if (faults === undefined) return [];
  return [
    {
      code: kind,
      level: 'warning',
      who: 'ext_admin',
      message: 'Legs end before they start, or go beyond the dates of their patrols',
      remedy: 'Correct the dates in the external system and export again, or accept the span of the legs',
      count: faults.count,
      examples: faults.examples,
      affects: needed(sources, 'fault').filter(({ key }) => key === kind),
    },
  ];
};

/** Days or legs of which only the date is known. */
export const checkTimeCoverage: BundleCheck = ({ bundle }) => {
  const { timeCoverage } = bundle.manifest;
  const [count, total, what] = timeCoverage
    ? [timeCoverage.dateOnly, timeCoverage.days, 'day']
    : [bundle.requirements.legsWithoutTimes, bundle.requirements.legs, 'leg'];
  if (count === 0) return [];
  return [
    {
      code: 'time_coverage',
      level: 'warning',
      who: 'ext_admin',
      message: `Of ${count} of ${plural(total, what)} only the date is known; on the site they last the whole day`,
      remedy: 'Enter the times in the external system and export again, or accept whole days',
      count,
      examples: [],
      affects: 'none',
    },
  ];
};

/** Labels that the chosen language lacks. */
export const checkLanguage: BundleCheck = ({ bundle, language }) => {
  const found = bundle.manifest.languages.find(({ code }) => code === language);
  if (found === undefined || found.coverage >= 1) return [];
  const missing = found.total - found.labelled;
  return [
    {
      code: 'language',
      level: 'warning',
      who: 'ext_admin',
      message: `${missing} of ${plural(found.total, 'label')} are missing in ${language}; other languages stand in for them`,
      remedy: 'Translate them in the external system and export again, or choose another --ext-language',
      count: missing,
      examples: [],
      affects: 'none',
    },
  ];
};

/** What the reader of the bundle, or its exporter, warned of. */
export const checkBundleWarnings: BundleCheck = ({ bundle: { warnings } }): Finding[] =>
  warnings.length === 0
    ? []
    : [
        {
          code: 'bundle_warnings',
          level: 'warning',
          who: 'ext_admin',
          message: 'The bundle has irregularities',
          remedy: 'Correct them in the external system and export again where they matter',
          count: warnings.length,
          examples: firstExamples(warnings.map(({ text }) => text)),
          affects: 'none',
        },
      ];
