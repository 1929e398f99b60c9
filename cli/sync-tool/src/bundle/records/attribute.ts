import { quote } from '../describe.ts';
import type { Attribute, AttributeOption, AttributeType } from '../model.ts';
import { optionClashes } from '../checks/clashes.ts';
import { treeProblems } from '../checks/tree.ts';
import { ownUuid, type RecordContext } from './context.ts';
import { flagOf, keyOf, listOf, partsOf, textOf, type Part } from './members.ts';
import { namesOf } from './names.ts';
import { readOption } from './option.ts';

const types: ReadonlySet<string> = new Set<AttributeType>(['NUMERIC', 'TEXT', 'BOOLEAN', 'DATE', 'LIST', 'TREE']);

const isKnown = (type: string): type is AttributeType => types.has(type);

const optionsOf = (part: Part, type: 'LIST' | 'TREE', context: RecordContext): readonly AttributeOption[] => {
  const { at } = context;
  const before = at.problems;
  const options = partsOf(part, 'options', at).map((option) => readOption(option, type === 'TREE', context));
  if (at.problems > before) return options;
  for (const problem of [...optionClashes(options, type), ...(type === 'TREE' ? treeProblems(options) : [])])
    at.problem(problem);
  const keyless = options.filter(({ key, path }) => (type === 'TREE' ? path : key) === null).length;
  if (keyless > 0)
    at.warn('keyless option', `has options without ${type === 'TREE' ? 'path' : 'key'}; they are left out`);
  return options;
};

/** Reads a record of `patrol_attributes`. One of an unknown type, or without a key, is a warning: it is left out (bundle contract, 3). */
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
    options: hasOptions ? optionsOf(part, type, context) : [],
    isActive: flagOf(part, 'is_active', at),
    names: namesOf(part, context),
  };
};
