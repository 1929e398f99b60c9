import { attributeChoiceField, attributeProperty, choiceValue, patrolTypeValue } from '../values.ts';
import { optionClashes } from '../checks/vocabulary-checks.ts';
import { quote } from '../findings.ts';
import { isBlankLabel } from '../labels/label.ts';
import type {
  Attribute,
  AttributeOption,
  AttributeType,
  Employee,
  Mandate,
  Names,
  PatrolClass,
  Station,
  Team,
  Transport,
} from '../model.ts';
import {
  boundedText,
  dateOf,
  dateOrNull,
  flagOf,
  integerOf,
  keyOf,
  listOf,
  namesOf,
  objectIfAny,
  objectOf,
  ownUuid,
  type Part,
  partsOf,
  type RecordContext,
  sharedNamesOf,
  takeUuid,
  textOf,
  textOrNull,
  uuidOf,
  uuidOrNull,
} from './members.ts';

const nameOf = ({ path, uuid }: AttributeOption): string => (path === null ? uuid : quote(path));

/**
 * Reports invalid parents of a tree's nodes: missing parents, and cycles (bundle contract, 5). Visits each node once, so that the cost of a
 * long branch is linear.
 */
const treeProblems = (options: readonly AttributeOption[]): readonly string[] => {
  const byUuid = new Map(options.map((option) => [option.uuid, option]));
  const visited = new Set<AttributeOption>();
  const problems: string[] = [];
  for (const option of options) {
    const branch = new Set<AttributeOption>();
    for (let node: AttributeOption | undefined = option; node !== undefined && !visited.has(node);) {
      visited.add(node);
      branch.add(node);
      const parent: AttributeOption | undefined = node.parentUuid === null ? undefined : byUuid.get(node.parentUuid);
      if (node.parentUuid !== null && parent === undefined)
        problems.push(
          `the node ${nameOf(node)} names the parent ${node.parentUuid}, which is no node of the attribute`,
        );
      if (parent !== undefined && branch.has(parent))
        problems.push(`the node ${nameOf(node)} is its own ancestor: its parents go in a circle`);
      node = parent;
    }
  }
  return problems;
};

const valueOf = (key: string | null, rule: (key: string) => string): string | null => (key === null ? null : rule(key));

const vocabularyOf = (part: Part, context: RecordContext) => ({
  isActive: flagOf(part, 'is_active', context.at),
  names: namesOf(part, context),
});

const keyedOf = (part: Part, context: RecordContext, rule: (key: string) => string) => {
  const key = keyOf(part, 'key', context.at);
  return { key, value: valueOf(key, rule), ...vocabularyOf(part, context) };
};

/** Reads one option of a LIST, or one node of a TREE (bundle contract, 2). */
const readOption = (part: Part, isTree: boolean, context: RecordContext): AttributeOption => {
  const { at, innerUuids } = context;
  const uuid = uuidOf(part, 'uuid', at);
  takeUuid(uuid, part.where, innerUuids, at);
  const keyed = keyedOf(part, context, choiceValue);
  const path = isTree ? textOf(part, 'path', at) || null : null;
  return {
    ...keyed,
    uuid,
    value: isTree ? valueOf(path, choiceValue) : keyed.value,
    order: integerOf(part, 'order', at),
    path,
    parentUuid: isTree ? uuidOrNull(part, 'parent_uuid', at) : null,
  };
};

const types: ReadonlySet<string> = new Set<AttributeType>(['NUMERIC', 'TEXT', 'BOOLEAN', 'DATE', 'LIST', 'TREE']);

const isKnown = (type: string): type is AttributeType => types.has(type);

const optionsOf = (part: Part, type: 'LIST' | 'TREE', context: RecordContext): readonly AttributeOption[] => {
  const { at } = context;
  const before = at.problems;
  const options = partsOf(part, 'options', at).map((option) => readOption(option, type === 'TREE', context));
  if (at.problems > before) return options;
  for (const problem of [...optionClashes(options), ...(type === 'TREE' ? treeProblems(options) : [])])
    at.problem(problem);
  const keyless = options.filter(({ value }) => value === null).length;
  if (keyless > 0)
    at.warn('keyless option', `has options without ${type === 'TREE' ? 'path' : 'key'}; they are left out`);
  return options;
};

/**
 * Reads a record of `patrol_attributes`. A record of an unknown type, or without a key, causes a warning and is left out (bundle contract,
 * 3).
 */
export const readAttribute = (part: Part, context: RecordContext): Attribute => {
  const { at } = context;
  const type = textOf(part, 'type', at);
  const hasOptions = type === 'LIST' || type === 'TREE';
  const key = keyOf(part, 'key', at);
  if (!isKnown(type))
    at.warn('unknown type', `the attribute type ${quote(type)} is not known; the attribute is left out`);
  else if (!hasOptions && listOf(part, 'options', at).length > 0)
    at.problem(`options stand on an attribute of type ${type}; only LIST and TREE have options`);
  if (key === null) at.warn('keyless', 'the attribute has no key and is left out');
  return {
    uuid: ownUuid(part, context),
    key,
    type: isKnown(type) ? type : null,
    hasField: true,
    property: valueOf(key, (name) => attributeProperty(name, context.facts.word)),
    choiceField: valueOf(key, attributeChoiceField),
    options: hasOptions ? optionsOf(part, type, context) : [],
    ...vocabularyOf(part, context),
  };
};

const staffIdLength = [1, 32] as const;

/** Whether somebody is employed at the time of the export; an end before the start counts as ended (bundle contract, 4). */
const isEmployed = (part: Part, { at, facts: { referenceDate: on } }: RecordContext): boolean => {
  const employment = objectOf(part, 'employment', at);
  if (employment === null) return false;
  const start = dateOf(employment, 'start', at);
  const end = dateOrNull(employment, 'end', at);
  if (end !== null && end < start)
    at.warn('ended', `the employment ends ${end}, before its start ${start}: it counts as ended`);
  return start <= on && (end === null || (end >= on && end >= start));
};

const agencyOf = (part: Part, context: RecordContext): Employee['agency'] => {
  const agency = objectIfAny(part, 'agency', context.at);
  return agency && { key: keyOf(agency, 'key', context.at), names: sharedNamesOf(agency, context) };
};

/** Treats a rank without a label as no rank. */
const rankOf = (part: Part, context: RecordContext): Names | null | undefined => {
  const rank = objectIfAny(part, 'rank', context.at);
  if (!rank) return rank;
  const names = sharedNamesOf(rank, context);
  return names.size === 0 ? null : names;
};

/** Reads a record of `employees` (bundle contract, 2). The login flag may be absent, but not null. */
export const readEmployee = (part: Part, context: RecordContext): Employee => {
  const { at } = context;
  const givenName = textOf(part, 'given_name', at);
  const familyName = textOf(part, 'family_name', at);
  const areTexts = typeof part.members['given_name'] === 'string' && typeof part.members['family_name'] === 'string';
  if (areTexts && isBlankLabel(`${givenName}${familyName}`)) at.problem('given_name and family_name are both blank');
  return {
    uuid: ownUuid(part, context),
    id: boundedText(part, 'id', staffIdLength, at),
    name: [givenName, familyName].filter((name) => !isBlankLabel(name)).join(' '),
    isActive: isEmployed(part, context),
    agency: agencyOf(part, context),
    rank: rankOf(part, context),
    hasExtLogin: part.members['has_ext_login'] === undefined ? undefined : flagOf(part, 'has_ext_login', at),
  };
};

/** Reads a record of `mandates` (bundle contract, 2). */
export const readMandate = (part: Part, context: RecordContext): Mandate => ({
  uuid: ownUuid(part, context),
  ...keyedOf(part, context, choiceValue),
});

/** Reads a record of `patrol_classes`; its uuid is optional and unused (bundle contract, 2). */
export const readPatrolClass = (part: Part, context: RecordContext): PatrolClass => {
  const { uuid } = part.members;
  if (uuid !== undefined && uuid !== null) ownUuid(part, context);
  const key = textOf(part, 'key', context.at) || null;
  return { key, value: valueOf(key, choiceValue), ...vocabularyOf(part, context) };
};

/** Reads a record of `stations` (bundle contract, 2). */
export const readStation = (part: Part, context: RecordContext): Station => ({
  uuid: ownUuid(part, context),
  ...vocabularyOf(part, context),
});

/** Reads a record of `teams`; its mandate is checked but unused (bundle contract, 2). */
export const readTeam = (part: Part, context: RecordContext): Team => {
  uuidOrNull(part, 'mandate_uuid', context.at);
  const key = keyOf(part, 'key', context.at);
  return { uuid: ownUuid(part, context), key, members: null, ...vocabularyOf(part, context) };
};

/** Reads a record of `transports` (bundle contract, 2). */
export const readTransport = (part: Part, context: RecordContext): Transport => ({
  uuid: ownUuid(part, context),
  ...keyedOf(part, context, patrolTypeValue),
  classKey: textOrNull(part, 'class_key', context.at),
  requiresPilot: flagOf(part, 'requires_pilot', context.at),
  iconKey: textOrNull(part, 'icon_key', context.at),
});
