import { describe, type FileFindings, quote } from '../findings.ts';
import type { PointAt, ReadDocument } from '../json/document.ts';
import { checkLanguages, coverageOf, readZone, utc } from '../manifest/read-manifest.ts';
import type { Language, Manifest, TimezoneSource } from '../model.ts';
import { flagOf, integerOf, listOf, objectOf, type Part, partsOf, textOf, uuidOf } from '../records/members.ts';
import { ZoneTimestamps } from '../time/time.ts';

/** The only version of exported bundles so far. */
const version = 1;

/** Whether a manifest is one of an exported bundle (contract of the exported bundle, 1). */
export const isExported = ({ members }: ReadDocument): boolean =>
  members['format'] === undefined && members['bundle_schema_version'] !== undefined;

const zoneSources: ReadonlySet<unknown> = new Set<TimezoneSource>(['configured', 'inferred', 'default']);

const readTimezone = (manifest: Part, point: PointAt, variable: string): Manifest['timezone'] => {
  const zone = objectOf(manifest, 'timezone', point('timezone'));
  if (zone === null) return { ...utc, source: 'default' };
  const { name, source } = zone.members;
  return {
    ...readZone(name, 'timezone.name', point('timezone', 'name'), variable),
    source: zoneSources.has(source) ? (source as TimezoneSource) : 'inferred',
  };
};

const readLanguage = (part: Part, defaultCode: string, at: FileFindings): Language => {
  const code = textOf(part, 'code', at).trim();
  const labelled = integerOf(part, 'labels', at, 0);
  const total = labelled + integerOf(part, 'missing', at, 0);
  const isDefault = code === defaultCode;
  if (flagOf(part, 'default', at) !== isDefault)
    at.warn(
      'default language',
      `the language ${quote(code)} is ${isDefault ? 'not ' : ''}marked as the default; default_language says ${quote(defaultCode)}`,
    );
  return { code, name: code, isDefault, labelled, total, coverage: coverageOf(labelled, total) };
};

const readLanguages = (manifest: Part, point: PointAt): Pick<Manifest, 'languages' | 'defaultLanguage'> => {
  const defaultCode = textOf(manifest, 'default_language', point('default_language')).trim();
  const parts = partsOf(manifest, 'languages', point('languages'));
  const languages = parts.map((part, index) => readLanguage(part, defaultCode, point('languages', index, 'code')));
  checkLanguages(languages, point);
  return { languages, defaultLanguage: defaultCode };
};

const warningsShown = 20;

/** Passes on what the exporter warned of. */
const passWarnings = (manifest: Part, point: PointAt): void => {
  const at = point('warnings');
  const texts = listOf(manifest, 'warnings', at).filter((text): text is string => typeof text === 'string');
  for (const text of texts.slice(0, warningsShown))
    at.warn(`exporter ${text}`, `the exporter warned: ${quote(text, 300)}`);
  if (texts.length > warningsShown)
    at.warn('exporter more', `the exporter warned of ${texts.length - warningsShown} further things`);
};

const integerIn = (value: unknown, name: string): number | undefined => {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof found === 'number' ? found : undefined;
};

/** Warns of numbers of objects that are not those that the manifest promises. */
export const compareCounts = ({ members, point }: ReadDocument, found: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(found)) {
    const expected = integerIn(members['counts'], name);
    if (expected !== undefined && expected !== count)
      point('counts').warn(
        `count ${name}`,
        `counts.${name} is ${expected}, the bundle has ${count}: it may be half written`,
      );
  }
};

const readTimeCoverage = ({ members }: Part): Manifest['timeCoverage'] => {
  const of = (name: string): number | undefined => integerIn(members['time_coverage'], name);
  const [days, dateOnly] = [of('leg_days'), of('date_only')];
  if (days === undefined || dateOnly === undefined) return null;
  const [track = 0, entered = 0, waypoints = 0] = [of('track'), of('leg_day_times'), of('waypoints')];
  return { days, track, entered, waypoints, dateOnly };
};

/**
 * Reads the content of the manifest, without the hash, which is known when all documents are read; what is invalid is reported and replaced
 * (contract of the exported bundle, 4).
 */
export const readExportedManifest = (
  path: string,
  { members, point }: ReadDocument,
  timezoneVariable: string,
): Omit<Manifest, 'sha256'> => {
  const manifest: Part = { members, where: '' };
  const { bundle_schema_version: found, generated_at: exportedAt } = members;
  if (found !== version)
    point('bundle_schema_version').problem(
      `bundle_schema_version is ${describe(found)}; this tool reads version ${version}`,
    );
  const timezone = readTimezone(manifest, point, timezoneVariable);
  new ZoneTimestamps(timezone).read(exportedAt, 'generated_at', point('generated_at'));
  const at = point('conservation_area');
  const area = objectOf(manifest, 'conservation_area', at);
  passWarnings(manifest, point);
  return {
    path,
    format: 'exported',
    formatVersion: String(version),
    exportedAt: typeof exportedAt === 'string' ? exportedAt : '',
    area:
      area === null
        ? { uuid: '', id: '', name: '' }
        : { uuid: uuidOf(area, 'uuid', at), id: textOf(area, 'id', at), name: textOf(area, 'name', at) },
    timezone,
    ...readLanguages(manifest, point),
    timeCoverage: readTimeCoverage(manifest),
  };
};
