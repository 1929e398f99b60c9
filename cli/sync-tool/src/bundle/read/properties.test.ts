import { isRelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import type { Bundle } from '../model.ts';
import { leg, record, valid, type ValidKind } from '../test/records.ts';
import { bundleHarness, type Harness } from '../test/harness.ts';

const kinds = Object.keys(valid) as ValidKind[];

const outcome = async ({ read }: Harness): Promise<'valid' | 'invalid'> => {
  try {
    await read();
    return 'valid';
  } catch (error) {
    if (isRelayError(error, 'bundle_invalid')) return 'invalid';
    throw error;
  }
};

/** Bytes of any kind: random ones, JSON of any shape, and valid records with some bytes replaced. */
const bytesFor = (kind: ValidKind): fc.Arbitrary<Buffer> => {
  const record = Buffer.from(`${JSON.stringify({ ...valid[kind], legs: [leg()] })}\n`);
  return fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.array(fc.json(), { maxLength: 5 }).map((lines) => Buffer.from(lines.join('\n'))),
    fc.array(fc.tuple(fc.nat(record.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }).map((changes) => {
      const bytes = Buffer.from(record);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    }),
  );
};

/** A valid record in which any members are anything. */
const recordsFor = (kind: ValidKind) =>
  fc.array(
    fc
      .dictionary(fc.constantFrom(...Object.keys(valid[kind]), 'options', '__proto__'), fc.jsonValue(), {
        noNullPrototype: true,
      })
      .map((parts) => record(kind, parts)),
    { maxLength: 4 },
  );

for (const kind of kinds) {
  testProp(
    `whatever bytes ${kind} hold, the bundle is read or refused`,
    [bytesFor(kind)],
    async (t, bytes) => {
      t.truthy(await outcome(await bundleHarness(t, { raw: { [kind]: bytes } })));
    },
    { numRuns: 25 },
  );

  testProp(
    `whatever members records of ${kind} have, the bundle is read or refused`,
    [recordsFor(kind)],
    async (t, records) => {
      t.truthy(await outcome(await bundleHarness(t, { records: { [kind]: records } })));
    },
    { numRuns: 25 },
  );
}

testProp(
  'whatever bytes a manifest holds, the bundle is refused',
  [
    fc.oneof(
      fc.uint8Array(),
      fc.json().map((json) => Buffer.from(json)),
    ),
  ],
  async (t, bytes) => {
    t.is(await outcome(await bundleHarness(t, { manifest: () => Buffer.from(bytes) })), 'invalid');
  },
  { numRuns: 50 },
);

testProp(
  'whatever a member of the manifest is, the bundle is read or refused',
  [
    fc.constantFrom(
      'format_version',
      'exported_at',
      'conservation_area',
      'timezone',
      'languages',
      'files',
      'timezone_source',
    ),
    fc.jsonValue(),
  ],
  async (t, name, value) => {
    t.truthy(await outcome(await bundleHarness(t, { manifest: (manifest) => ({ ...manifest, [name]: value }) })));
  },
  // A list whose item is no text, and cannot be made one.
  { numRuns: 50, examples: [['exported_at', JSON.parse('[{"toString":false}]')]] },
);

const byUuid = (one: { uuid: string }, other: { uuid: string }): number => one.uuid.localeCompare(other.uuid);

/** What a bundle says, however its records are ordered. */
const meaning = ({ stations, employees, usage }: Bundle) => ({
  stations: stations.toSorted(byUuid),
  employees: employees.toSorted(byUuid),
  patrols: usage.patrols,
  used: [usage.stations, usage.transports, usage.mandates, usage.members].map((uuids) => [...uuids].toSorted()),
});

const number = (from: number): string => from.toString(16).padStart(32, 'f');
const dashed = (uuid: string): string =>
  uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toUpperCase();

const numbers = Array.from({ length: 12 }, (_, at) => at);
const plainRecords = {
  stations: numbers.map((at) => record('stations', { uuid: number(at) })),
  employees: numbers.map((at) => record('employees', { uuid: number(at), id: `${at}` })),
  patrols: numbers.map((at) =>
    record('patrols', {
      uuid: number(at),
      station_uuid: number(at % 5),
      legs: [leg({ uuid: number(at), members: [{ employee_uuid: number(at % 7), is_leader: true, is_pilot: false }] })],
    }),
  ),
};

const respell = (value: unknown, isOther: () => boolean): unknown => {
  if (typeof value === 'string') return value.length === 32 && isOther() ? dashed(value) : value;
  if (Array.isArray(value)) return value.map((item) => respell(item, isOther));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, respell(member, isOther)]));
};

test('the records that are shuffled below are used', async (t) => {
  const { usage } = await (await bundleHarness(t, { records: plainRecords })).read();
  t.is(usage.stations.size, 5);
  t.is(usage.members.size, 7);
});

const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });

testProp(
  'the order of records and the spelling of uuids make no difference',
  [
    shuffled(plainRecords.stations),
    shuffled(plainRecords.employees),
    shuffled(plainRecords.patrols),
    fc.infiniteStream(fc.boolean()),
  ],
  async (t, stations, employees, patrols, spelling) => {
    const isOther = (): boolean => spelling.next().value === true;
    const records = respell({ stations, employees, patrols }, isOther) as typeof plainRecords;
    const [plain, other] = await Promise.all([
      bundleHarness(t, { records: plainRecords }),
      bundleHarness(t, { records }),
    ]);
    t.deepEqual(meaning(await other.read()), meaning(await plain.read()));
  },
  { numRuns: 25 },
);
