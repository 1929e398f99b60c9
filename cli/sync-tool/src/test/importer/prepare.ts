import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Employee, type ImportBundle, readImportBundle, usedBy } from './bundle.ts';
import { callsTo, type ImportCalls, type ImportSite, type Row } from './calls.ts';
import { type Form, importedForm } from './form.ts';
import { bare, choiceField, classOptions, display, identityNames, optionValue, typeValues } from './names.ts';

/** One write in the importer's record. */
type Change = Row;

interface Run {
  readonly calls: ImportCalls;
  readonly bundle: ImportBundle;
  readonly word: string;
  readonly language: string;
  readonly changes: Change[];
}

/** Sends what differs of a row, with the replaced values as `before`; nothing where all is as wanted. */
const update = async ({ calls, changes }: Run, path: string, row: Row, wanted: Row, entry: Row): Promise<void> => {
  const names = Object.keys(wanted).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(wanted[name]));
  if (names.length === 0) return;
  const only = (of: Row): Row => Object.fromEntries(names.map((name) => [name, of[name]]));
  await calls.must('PATCH', path, only(wanted));
  changes.push({ ...entry, action: 'updated', before: only(row) });
};

const prepareTypes = async (run: Run): Promise<void> => {
  const { calls, bundle, language, changes } = run;
  const values = typeValues(bundle.reference.transports);
  const there = await calls.rows('activity/patrols/types?include_inactive=true');
  for (const transport of bundle.reference.transports) {
    const value = values.get(transport.uuid);
    const text = display(transport, bundle, language, transport.key ?? transport.uuid);
    const found = there.find((row) => row['value'] === value);
    if (found) {
      const wanted = { display: text, ...(transport.active ? { is_active: true } : {}) };
      await update(run, `activity/patrols/types/${value}`, found, wanted, { kind: 'patrol_type', value });
    } else {
      await calls.must('POST', 'activity/patrols/types', { value, display: text, is_active: transport.active });
      changes.push({ kind: 'patrol_type', action: 'created', value });
    }
  }
};

const prepareForm = async (run: Run, beforePath: string): Promise<void> => {
  const { calls, bundle, word, language, changes } = run;
  const path = 'activity/patrols/segments/types/default';
  const status = (await calls.call('GET', 'status')).data as { preview_features?: Row } | null;
  if (status?.preview_features?.['patrol_schemas'] !== true) return;
  const { data } = await calls.call('GET', `${path}?include_schema=true`);
  const schema = (data as { schema?: Form | null } | null)?.schema ?? null;
  const found = schema !== null && 'json' in schema ? schema : null;
  const wanted = importedForm(found, bundle, word, language);
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  if (found !== null) await writeFile(beforePath, JSON.stringify(found, null, 2));
  await calls.must('PUT', path, { schema: wanted });
  const before_file = found === null ? null : beforePath;
  changes.push({ kind: 'universal_patrol_fields', action: 'written', before_file });
};

interface WantedOption {
  readonly value: string;
  readonly display: string;
  readonly is_active: boolean;
}

const unnamed = (uuid: string): string => `Unnamed station ${bare(uuid).slice(0, 8)}`;

/** The options of each choice field; of two with one value the first counts. */
const wantedOptions = ({ bundle, language }: Run): ReadonlyMap<string, readonly WantedOption[]> => {
  const { reference } = bundle;
  const { stations } = usedBy(bundle);
  const optionsOf = (options: ImportBundle['reference']['mandates']): WantedOption[] =>
    options.map((option) => ({
      value: optionValue(option),
      display: display(option, bundle, language, option.key ?? option.uuid),
      is_active: option.active,
    }));
  return new Map([
    ['patrol_mandate', optionsOf(reference.mandates)],
    [
      'patrol_station',
      reference.stations.map((station) => {
        const text = display(station, bundle, language, '');
        const is_active = station.active && (text !== '' || stations.has(station.uuid));
        return { value: bare(station.uuid), display: text === '' ? unnamed(station.uuid) : text, is_active };
      }),
    ],
    ['patrol_class', classOptions(bundle)],
    ...reference.patrol_attributes
      .filter(({ type }) => ['LIST', 'MLIST', 'TREE'].includes(type.trim()))
      .map((attribute) => [choiceField(attribute), optionsOf(attribute.options)] as const),
  ]);
};

const prepareChoices = async (run: Run): Promise<void> => {
  const { calls, changes } = run;
  for (const [field, options] of wantedOptions(run)) {
    const there = await calls.rows(`choices?model=activity.event&field=${field}&include_inactive=true&page_size=4000`);
    const first = options.filter(({ value }, at) => options.findIndex((other) => other.value === value) === at);
    for (const [ordernum, option] of first.entries()) {
      const entry = { kind: 'choice', field, value: option.value };
      const wanted = { display: option.display, is_active: option.is_active, ordernum };
      const found = there.find(({ value }) => value === option.value);
      if (found) await update(run, `choices/${String(found['id'])}`, found, wanted, { ...entry, id: found['id'] });
      else {
        const body = { model: 'activity.event', field, value: option.value, ...wanted };
        const { id = null } = await calls.must('POST', 'choices', body);
        changes.push({ ...entry, action: 'created', id });
      }
    }
  }
};

/** Whatever the word of its flag. */
const isLogin = (employee: Employee): boolean =>
  Object.entries(employee).some(([name, value]) => /^has_\w+_login$/.test(name) && value === true);

/** Who becomes a subject: active employees, and every member of a leg; not a flagged login that was on no patrol. */
const plannedPeople = ({ bundle }: Run): readonly Employee[] => {
  const { employees } = bundle.reference;
  const { members } = usedBy(bundle);
  const listed = new Set(employees.map(({ uuid }) => uuid));
  const unlisted = [...members].filter((uuid) => !listed.has(uuid));
  return [
    ...employees.filter((employee) => members.has(employee.uuid) || (employee.active && !isLogin(employee))),
    ...unlisted.map((uuid) => ({ uuid, id: null, given_name: null, family_name: null, active: false })),
  ];
};

const nameOf = ({ uuid, id, given_name: given, family_name: family }: Employee): string =>
  [given, family].filter((part) => (part ?? '').trim() !== '').join(' ') || id || uuid;

const additionalOf = (row: Row): Row => (row['additional'] ?? {}) as Row;

const matchIn = (run: Run, subjects: readonly Row[]) => {
  const { member, employee, area } = identityNames(run.word);
  const { uuid: own } = run.bundle.manifest.conservation_area;
  const { employees } = run.bundle.reference;
  const ofArea = subjects
    .map(additionalOf)
    .filter((of) => (of[member] ?? null) === null && (of[area] ?? of['ca_uuid']) === own);
  return ({ uuid, id }: Employee): Row | undefined => {
    const byMember = subjects.find((row) => additionalOf(row)[member] === uuid);
    if (byMember || id === null) return byMember;
    const alike = ofArea.filter((of) => of[employee] === id);
    if (alike.length !== 1 || employees.filter((other) => other.id === id).length !== 1) return undefined;
    return subjects.find((row) => additionalOf(row) === alike[0]);
  };
};

/** Makes, patches and deactivates subjects; returns the ids of those that are planned. */
const prepareSubjects = async (run: Run): Promise<readonly string[]> => {
  const { calls, bundle, word, changes } = run;
  const names = identityNames(word);
  const { uuid: own } = bundle.manifest.conservation_area;
  const subjects = await calls.rows('subjects?include_inactive=true&page_size=1000000');
  const match = matchIn(run, subjects);
  const ids: string[] = [];
  for (const person of plannedPeople(run)) {
    const name = nameOf(person);
    const identity = { [names.member]: person.uuid, [names.employee]: person.id, [names.area]: own };
    const found = match(person);
    if (found) {
      const additional = { ...additionalOf(found), ...identity };
      const entry = { kind: 'subject', id: found['id'], name };
      ids.push(String(found['id']));
      await update(run, `subject/${String(found['id'])}`, found, { name, is_active: person.active, additional }, entry);
      continue;
    }
    const body = { name, subject_subtype: 'ranger', is_active: person.active, additional: identity };
    const { id } = await calls.must('POST', 'subjects', body);
    ids.push(String(id));
    changes.push({ kind: 'subject', action: 'created', id, name });
  }
  for (const row of subjects) {
    const { id, name, is_active: isActive } = row;
    const isOurs = additionalOf(row)[names.area] === own && (additionalOf(row)[names.member] ?? null) !== null;
    if (isOurs && isActive === true && !ids.includes(String(id)))
      await update(run, `subject/${String(id)}`, row, { is_active: false }, { kind: 'subject', id, name });
  }
  return ids;
};

const prepareRoster = async ({ calls, changes }: Run, ids: readonly string[]): Promise<void> => {
  const { data } = await calls.call('GET', 'activity/patrols/config/default');
  const [group] = ((data as { members?: Row[] } | null)?.members ?? []) as readonly Row[];
  if (group === undefined) return;
  const there = new Set((await calls.rows(`subjectgroup/${String(group['id'])}/subjects/`)).map(({ id }) => id));
  const subject_ids = ids.filter((id) => !there.has(id));
  if (subject_ids.length === 0) return;
  await calls.must(
    'POST',
    `subjectgroup/${String(group['id'])}/subjects/`,
    subject_ids.map((id) => ({ id })),
  );
  changes.push({ kind: 'roster', action: 'added', group_id: group['id'], group: group['name'], subject_ids });
};

/** How the importer is called. */
export interface ImportOptions {
  /** Default: that of the bundle. */
  readonly language?: string;
  /** Decides the names of its files, with microseconds. */
  readonly now?: Date;
}

const stampOf = (now: Date): string => now.toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z');

/**
 * Does what the importer's own command does with a site and an exported bundle, and leaves its record beside the bundle; none when nothing was
 * written (contract of the exported bundle, 7 to 9).
 * @param folder the bundle
 * @param output where record and form are put
 * @returns path of the record, or null
 */
export const prepareAsImporter = async (
  site: ImportSite,
  folder: string,
  word: string,
  output: string,
  { language, now = new Date() }: ImportOptions = {},
): Promise<string | null> => {
  const bundle = await readImportBundle(folder);
  const { conservation_area, default_language } = bundle.manifest;
  const run: Run = { calls: callsTo(site), bundle, word, language: language ?? default_language, changes: [] };
  const stamp = stampOf(now);
  await prepareTypes(run);
  await prepareForm(run, resolve(output, `segment-schema-before-${stamp}.json`));
  await prepareChoices(run);
  await prepareRoster(run, await prepareSubjects(run));
  if (run.changes.length === 0) return null;
  const path = join(output, `patrol-datamodel-run-${stamp}.json`);
  const { uuid, id, name } = conservation_area;
  // The name of the member with the address is that of the site's product, which nobody can know.
  const record = {
    run_at: now.toISOString(),
    tracker: site.url,
    conservation_area: { uuid, id, name },
    changes: run.changes,
  };
  await writeFile(path, `${JSON.stringify(record, null, 2)}\n`);
  return path;
};
