import { isObject } from '@ranger-relay/errors';
import { dashedId } from '@ranger-relay/site';
import { doublesOf } from '../checks/vocabulary-checks.ts';
import { describe, type FileFindings, quote } from '../findings.ts';
import { isBlankLabel } from '../labels/label.ts';
import {
  type Attribute,
  type AttributeOption,
  type AttributeType,
  attributeTypes,
  type Bundle,
  type Employee,
  type Mandate,
  type Names,
  type PatrolClass,
  type Team,
  type Transport,
} from '../model.ts';
import {
  flagOf,
  keyOf,
  listOf,
  namesIn,
  type Part,
  partsOf,
  recordContext,
  type RecordContext,
  textOf,
  textOrNull,
  uuidOf,
  uuidOrNull,
} from '../records/members.ts';
import { choiceFieldName, shorten, valueLimits } from '../values.ts';

/**
 * What keys of an exported bundle become on the site (contract of the exported bundle, 7). The import of the patrols computes the same values
 * again and looks them up, so they are the importer's to the letter; only the length of an option's value is limited as in our own format.
 */

/** Runs of anything but ASCII letters and digits become one `_`, which falls at the ends; `_` when nothing is left. */
const normaliseExportedKey = (key: string): string =>
  key
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .toLowerCase() || '_';

/** `value` of a patrol type; one that an earlier transport has ends in `_2`, `_3` and so on. */
const exportedPatrolType = (key: string, isTaken: (value: string) => boolean): string => {
  const whole = `patrol_${normaliseExportedKey(key)}`;
  let value = whole.slice(0, valueLimits.patrolType);
  for (let copy = 2; isTaken(value); copy += 1)
    value = `${whole.slice(0, valueLimits.patrolType - `_${copy}`.length)}_${copy}`;
  return value;
};

/** Form property of an attribute. */
const exportedProperty = (key: string, word: string): string => `${word}_${normaliseExportedKey(key)}`;

/** Choice field of an attribute; a long one ends in the hash of the key as it stands in the bundle. */
const exportedChoiceField = (key: string): string =>
  shorten(choiceFieldName(normaliseExportedKey(key)), valueLimits.attribute, key);

/** `value` of an option or a mandate. */
const exportedChoice = (key: string): string => shorten(normaliseExportedKey(key), valueLimits.choice);

/** Display text of a class without a label: its key with capital first letters. */
const exportedClassDisplay = (key: string): string =>
  key.toLowerCase().replaceAll(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** Labels of an object: those by language, and under `''` its `label`, which comes behind that of the default language. */
const labelsOf = (part: Part, context: RecordContext): Names => {
  const names = new Map(namesIn(part, 'labels', context));
  const label = textOrNull(part, 'label', context.at);
  if (label !== null && !isBlankLabel(label)) names.set('', label);
  return names;
};

/** Warns of a uuid that is not written as the exporter writes it; it is read all the same (contract of the exported bundle, 10). */
const checkSpelling = (part: Part, name: string, uuid: string, at: FileFindings): void => {
  if (uuid !== '' && part.members[name] !== dashedId(uuid))
    at.warn('spelling', `${part.where}${name} is not written in lower case with dashes`);
};

const ownUuid = (part: Part, { at }: RecordContext): string => {
  const uuid = uuidOf(part, 'uuid', at);
  checkSpelling(part, 'uuid', uuid, at);
  return uuid;
};

/** Reads the objects of one list; of those with one identity the first counts. */
class ListReader {
  readonly #document: Part;
  readonly #context: RecordContext;

  constructor(document: Part, context: RecordContext) {
    this.#document = document;
    this.#context = context;
  }

  read<T>(
    list: string,
    readObject: (part: Part, context: RecordContext) => T | null,
    identityOf: (record: T) => string,
  ): T[] {
    const { at } = this.#context;
    at.list = '';
    if (!Array.isArray(this.#document.members[list])) {
      at.problem(`${list} must be a list, it is ${describe(this.#document.members[list])}`);
      return [];
    }
    const first = new Map<string, number>();
    return listOf(this.#document, list, at).flatMap((item, index) => {
      at.list = list;
      at.line = index;
      if (!isObject(item)) {
        at.problem(`must be an object, it is ${describe(item)}`);
        return [];
      }
      const before = at.problems;
      const record = readObject({ members: item, where: '' }, this.#context);
      if (record === null || at.problems > before) return [];
      const identity = identityOf(record);
      const other = first.get(identity);
      if (other === undefined) {
        first.set(identity, index);
        return [record];
      }
      at.warn('twice', `has the identity of ${list}[${other}], ${quote(identity)}; the first counts`);
      return [];
    });
  }
}

const classKeys = ['ground', 'air', 'marine', 'mixed'] as const;

const classOf = (key: string, isActive: boolean): PatrolClass => ({
  key,
  value: key.toLowerCase(),
  isActive,
  names: new Map([['', exportedClassDisplay(key)]]),
});

const readClass = (part: Part, { at }: RecordContext): PatrolClass | null => {
  const key = textOf(part, 'key', at);
  const isActive = flagOf(part, 'active', at);
  if (/^\w+$/.test(key)) return classOf(key, isActive);
  if (typeof part.members['key'] === 'string')
    at.warn(
      'class value',
      `the class ${quote(key)} cannot be an option: only letters, digits and _ can; it is left out`,
    );
  return null;
};

/** The four known classes are always there; one that the bundle does not name is inactive. */
const withKnownClasses = (classes: readonly PatrolClass[]): readonly PatrolClass[] => [
  ...classes,
  ...classKeys.filter((key) => !classes.some(({ value }) => value === key)).map((key) => classOf(key, false)),
];

/** What all vocabulary has. */
const vocabularyOf = (part: Part, context: RecordContext) => ({
  uuid: ownUuid(part, context),
  isActive: flagOf(part, 'active', context.at),
  names: labelsOf(part, context),
});

const readTransport = (part: Part, context: RecordContext): Transport => ({
  ...vocabularyOf(part, context),
  key: keyOf(part, 'key', context.at),
  value: null,
  classKey: textOrNull(part, 'patrol_type', context.at)?.toLowerCase() ?? null,
  requiresPilot: false,
  iconKey: null,
});

/** Gives each transport the value that no earlier one has; one without a key has its uuid in it. */
const withValues = (transports: readonly Transport[]): readonly Transport[] => {
  const taken = new Set<string>();
  return transports.map((transport) => {
    const value = exportedPatrolType(transport.key ?? dashedId(transport.uuid), (other) => taken.has(other));
    taken.add(value);
    return { ...transport, value };
  });
};

/** Warns of several that become the same option and returns those that count: the first of each value. */
const checkDoubles = <T extends Mandate>(options: readonly T[], at: FileFindings): readonly T[] => {
  const doubles = doublesOf(options, ({ value }) => value);
  for (const { record, first, value } of doubles) {
    const keys = `${quote(first.key ?? '')} and ${quote(record.key ?? '')}`;
    at.warn('same option', `the keys ${keys} both become ${value}; the first counts`);
  }
  const later = new Set(doubles.map(({ record }) => record));
  return options.filter((option) => option.value !== null && !later.has(option));
};

const readMandate = (part: Part, context: RecordContext): Mandate => {
  const vocabulary = vocabularyOf(part, context);
  const key = keyOf(part, 'key', context.at);
  return { ...vocabulary, key, value: key === null ? vocabulary.uuid : exportedChoice(key) };
};

const readOption = (part: Part, order: number, context: RecordContext): AttributeOption => ({
  ...readMandate(part, context),
  order,
  path: null,
  parentUuid: null,
});

const typeOf = (part: Part, at: FileFindings): AttributeType => {
  const type = textOf(part, 'type', at).trim();
  const known = attributeTypes.find((each) => each === type);
  if (known !== undefined) return known;
  at.warn('unknown type', `the attribute type ${quote(type)} is not known; its field is a short text`);
  return 'TEXT';
};

const attributeReader =
  (word: string) =>
  (part: Part, context: RecordContext): Attribute => {
    const { at } = context;
    const key = textOf(part, 'key', at);
    const vocabulary = vocabularyOf(part, context);
    const options = partsOf(part, 'options', at).map((option, order) => readOption(option, order, context));
    return {
      ...vocabulary,
      key,
      type: typeOf(part, at),
      hasField: vocabulary.isActive,
      property: exportedProperty(key, word),
      choiceField: exportedChoiceField(key),
      options: checkDoubles(options, at),
    };
  };

const readTeam = (part: Part, context: RecordContext): Team => ({
  uuid: ownUuid(part, context),
  key: null,
  members: listOf(part, 'member_uuids', context.at).length,
  isActive: true,
  names: labelsOf(part, context),
});

const noNames: Names = new Map();

const loginFlag = /^has_([a-z][a-z0-9]{0,15})_login$/;
const forbidden = /^(?:[a-z][a-z0-9]{0,15}(?:userid|password)|birthdate|gender)$/;

/** The login flag under the word that the record has, which need not be the one that is set. */
const loginOf = (part: Part, word: string, otherWords: Set<string>, at: FileFindings): boolean | undefined => {
  const name = Object.keys(part.members).find((member) => loginFlag.test(member));
  if (name === undefined) return undefined;
  const found = loginFlag.exec(name)?.[1] ?? word;
  if (found !== word) {
    otherWords.add(found);
    at.warn('word', `has ${name}: the word of this bundle is ${quote(found)}; set ext.word: ${found}`);
  }
  return flagOf(part, name, at);
};

/** What employees refer to. */
interface Employers {
  readonly agencies: ReadonlyMap<string, string | null>;
  readonly ranks: ReadonlyMap<string, Names>;
  /** Collects the words of the login flags that are not the word of the call. */
  readonly otherWords: Set<string>;
}

const employeeReader =
  (word: string, { agencies, ranks, otherWords }: Employers) =>
  (part: Part, context: RecordContext): Employee => {
    const { at } = context;
    for (const name of Object.keys(part.members))
      if (forbidden.test(name)) at.problem(`has the member ${name}, which must never leave the external system`);
    const uuid = ownUuid(part, context);
    const id = keyOf(part, 'id', at);
    const names = ['given_name', 'family_name'].flatMap((name) => textOrNull(part, name, at) ?? []);
    const agency = agencies.get(uuidOrNull(part, 'agency_uuid', at) ?? '') ?? null;
    const rank = ranks.get(uuidOrNull(part, 'rank_uuid', at) ?? '');
    return {
      uuid,
      id,
      name: names.filter((name) => !isBlankLabel(name)).join(' ') || id || dashedId(uuid),
      isActive: flagOf(part, 'active', at),
      agency: agency === null ? null : { key: agency, names: noNames },
      rank: rank === undefined || rank.size === 0 ? null : rank,
      hasExtLogin: loginOf(part, word, otherWords, at),
    };
  };

/** The vocabulary and the people of an exported bundle. */
export type Reference = Pick<
  Bundle,
  'otherWord' | 'transports' | 'patrolClasses' | 'mandates' | 'stations' | 'attributes' | 'employees' | 'teams'
>;

const uuidIdentity = ({ uuid }: { readonly uuid: string }): string => uuid;

/**
 * Reads `reference.json` (contract of the exported bundle, 5 and 7). Lists are in their order, which is that of the options.
 */
export const readReference = (document: Part, at: FileFindings, facts: RecordContext['facts']): Reference => {
  const { word } = facts;
  const lists = new ListReader(document, recordContext(at, facts));
  const classes = lists.read('patrol_types', readClass, ({ value }) => value ?? '');
  const agencies = lists.read(
    'agencies',
    (part, context) => ({ uuid: ownUuid(part, context), key: keyOf(part, 'key', at) }),
    uuidIdentity,
  );
  const ranks = lists.read(
    'ranks',
    (part, context) => ({ uuid: ownUuid(part, context), names: labelsOf(part, context) }),
    uuidIdentity,
  );
  const employers: Employers = {
    agencies: new Map(agencies.map(({ uuid, key }) => [uuid, key])),
    ranks: new Map(ranks.map(({ uuid, names }) => [uuid, names])),
    otherWords: new Set(),
  };
  const mandates = lists.read('mandates', readMandate, uuidIdentity);
  checkDoubles(mandates, at);
  const attributes = lists.read('patrol_attributes', attributeReader(word), uuidIdentity);
  const reference = {
    transports: withValues(lists.read('transports', readTransport, uuidIdentity)),
    patrolClasses: withKnownClasses(classes),
    // Legs also name those that share the value of an earlier one.
    mandates,
    stations: lists.read('stations', vocabularyOf, uuidIdentity),
    attributes,
    employees: lists.read('employees', employeeReader(word, employers), uuidIdentity),
    teams: lists.read('teams', readTeam, uuidIdentity),
  };
  at.list = '';
  checkProperties(attributes, at);
  return { ...reference, otherWord: [...employers.otherWords][0] };
};

/** Two attributes of one key would share their field. */
const checkProperties = (attributes: readonly Attribute[], at: FileFindings): void => {
  for (const { record, first, value } of doublesOf(attributes, ({ property }) => property))
    at.problem(
      `the patrol_attributes ${quote(first.key ?? '')} and ${quote(record.key ?? '')} both become ${value}; rename one and export again`,
    );
};
