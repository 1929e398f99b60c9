import { type RecordedChange, type RunRecord, runRecordSchema } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { plainId, readAddress, subjectKeys, wordForm } from '@ranger-relay/site';
import { z } from 'zod';
import { notRecorded } from '../resources/object.ts';

const members = z.record(z.string(), z.unknown());
const object = { action: z.enum(['created', 'updated']), before: members.nullish() };

const changeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('patrol_type'), ...object, value: z.string(), id: z.string().nullish() }),
  z.object({
    kind: z.literal('universal_patrol_fields'),
    action: z.literal('written'),
    before_file: z.string().nullish(),
  }),
  z.object({
    kind: z.literal('choice'),
    ...object,
    field: z.string(),
    value: z.string(),
    id: z.string().nullish(),
  }),
  z.object({ kind: z.literal('subject'), ...object, id: z.string() }),
  z.object({
    kind: z.literal('roster'),
    action: z.literal('added'),
    group_id: z.string(),
    group: z.string().optional(),
    subject_ids: z.array(z.string()),
  }),
]);

const importerRecordSchema = z.looseObject({
  run_at: z.string(),
  conservation_area: runRecordSchema.shape.conservation_area,
  changes: z.array(changeSchema),
});

type ImporterChange = z.infer<typeof changeSchema>;
type Members = Readonly<Record<string, unknown>>;

/** What an undo uses of a record. */
export type RecordHead = Pick<RunRecord, 'started_at' | 'site' | 'conservation_area'> &
  // The importer writes its record at the end, and no checklist.
  Partial<Pick<RunRecord, 'status' | 'checklist' | 'undone' | 'continues'>>;

/** Whether the run of a record did not finish and was not undone. */
export const isUnfinished = ({ status = 'complete', undone }: Pick<RecordHead, 'status' | 'undone'>): boolean =>
  status !== 'complete' && undone === undefined;

/** A run record of the importer, as an undo knows records. */
export interface ImporterRecord {
  readonly head: RecordHead;
  readonly word: string;
  /** `before_file` of a form may be an absolute path. */
  readonly changes: readonly RecordedChange[];
}

/** Whether a JSON value is a run record of the importer (contract of the exported bundle, 9). */
export const isImporterRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'run_at' in value && 'changes' in value && !('format' in value);

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//i.test(value);

/** The member with the address of the site has the name of the site's product, which nobody can know. */
const siteOf = (record: Members, refuse: (reason: string) => RelayError): string => {
  const addresses = Object.values(record).filter((value) => isAddress(value));
  const [address] = addresses;
  if (address === undefined || addresses.length > 1)
    throw refuse(`a record of the importer has one address of a site, and this one has ${addresses.length}`);
  return readAddress(address).identity;
};

/** The word under which the importer wrote, from what it replaced of subjects. */
const wordOf = (changes: readonly ImporterChange[]): string | undefined =>
  changes
    .flatMap((change) => ('before' in change ? Object.keys((change.before?.['additional'] ?? {}) as object) : []))
    .flatMap((key) => (key.endsWith('_member_id') ? [key.slice(0, -'_member_id'.length)] : []))
    .find((word) => wordForm.test(word));

/** What the importer wrote where its record tells nothing of it. */
const unknown: Members = { values: notRecorded };

/** The values that replaced others, as far as they are certain: an update of the activity alone has turned it round. */
const writtenOver = (before: Members, word: string): Members => {
  const names = Object.keys(before);
  if (names.length === 1 && typeof before['is_active'] === 'boolean') return { is_active: !before['is_active'] };
  const identity = Object.values(subjectKeys(word)).map((key) => [key, notRecorded]);
  return Object.fromEntries(
    names.map((name) =>
      name === 'additional'
        ? [name, { ...(before[name] as Members), ...Object.fromEntries(identity) }]
        : [name, notRecorded],
    ),
  );
};

const changeOf = (change: ImporterChange, word: string): RecordedChange => {
  if (change.kind === 'roster') return { ...change, group_name: change.group ?? change.group_id };
  if (change.kind === 'universal_patrol_fields')
    return { ...change, before_file: change.before_file ?? null, written: unknown };
  const { before: replaced, ...rest } = change;
  const before = replaced ?? undefined;
  const values = before === undefined ? { written: unknown } : { before, written: writtenOver(before, word) };
  if (rest.kind === 'subject') return { ...rest, ...values, member: null };
  if (rest.kind === 'choice') return { ...rest, ...values, id: rest.id ?? null };
  return { ...rest, ...values, id: rest.id ?? '' };
};

/**
 * Reads a run record of the importer.
 * @param path names it in errors
 * @param setWord the word where the record does not tell its own
 * @throws RelayError `record_invalid`
 */
export const readImporterRecord = (path: string, value: unknown, setWord: string): ImporterRecord => {
  const refuse = (reason: string): RelayError => new RelayError('record_invalid', { details: { path, reason } });
  const { data: record, error } = importerRecordSchema.safeParse(value);
  if (!record) {
    const at = error.issues[0]?.path.join('.') ?? '';
    throw refuse(`it is a record of the importer whose ${at} is not as the importer writes it`);
  }
  const { run_at: at, conservation_area: area, changes } = record;
  if (Number.isNaN(Date.parse(at))) throw refuse(`its run_at is no time: ${at}`);
  const bare = changes.findIndex((change) => change.action === 'updated' && !change.before);
  if (bare >= 0) throw refuse(`changes.${bare} is an update, and does not tell what was there before`);
  const word = wordOf(changes) ?? setWord;
  return {
    head: {
      started_at: new Date(at).toISOString(),
      site: siteOf(record, refuse),
      conservation_area: { ...area, uuid: plainId(area.uuid) },
    },
    word,
    changes: changes.map((change) => changeOf(change, word)),
  };
};
