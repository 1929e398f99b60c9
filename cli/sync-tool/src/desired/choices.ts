import type { Attribute, AttributeOption, Mandate, PatrolClass, Station } from '../bundle/model.ts';
import { attributeChoiceField, choiceValue } from '../bundle/values.ts';
import { labelLimits, type Label } from '../bundle/labels/label.ts';

/** Choice fields of the core form fields. */
export const coreFields = {
  mandate: 'patrol_mandate',
  station: 'patrol_station',
  patrolClass: 'patrol_class',
} as const;

/** A desired choice option. */
export interface DesiredChoice {
  readonly field: string;
  readonly value: string;
  readonly display: string;
  readonly isActive: boolean;
  /** Position, sent only on create. */
  readonly ordernum: number;
}

/** Default labels of the classes that every installation has. */
const classLabels = new Map([
  ['ground', 'Ground'],
  ['marine', 'Marine'],
  ['air', 'Air'],
  ['mixed', 'Mixed'],
]);

const keyed = (
  field: string,
  records: readonly (Mandate | PatrolClass)[],
  label: Label,
  fallbackOf: (key: string) => string,
): DesiredChoice[] =>
  records.flatMap(({ key, names, isActive }, ordernum) =>
    key
      ? [
          {
            field,
            value: choiceValue(key),
            display: label(names, fallbackOf(key), labelLimits.choice),
            isActive,
            ordernum,
          },
        ]
      : [],
  );

/** Display of a station without a name. */
export const unnamedStation = (uuid: string): string => `Unnamed station ${uuid.slice(0, 8)}`;

/** A station that a patrol uses is always included; an unused station only when it has a name and is active (bundle contract, 3). */
const stationChoices = (stations: readonly Station[], used: ReadonlySet<string>, label: Label): DesiredChoice[] =>
  stations.map(({ uuid, names, isActive }, ordernum) => ({
    field: coreFields.station,
    value: uuid,
    display: label(names, unnamedStation(uuid), labelLimits.choice),
    isActive: used.has(uuid) || (isActive && names.size > 0),
    ordernum,
  }));

/** Whether a node and all its ancestors are active. The bundle reader has already refused cycles. */
const isOffered = (option: AttributeOption, byUuid: ReadonlyMap<string, AttributeOption>): boolean => {
  const parent = option.parentUuid === null ? undefined : byUuid.get(option.parentUuid);
  return option.isActive && (parent === undefined || isOffered(parent, byUuid));
};

const inOrder = (options: readonly AttributeOption[]): readonly AttributeOption[] =>
  options.toSorted((a, b) => a.order - b.order);

const attributeChoices = ({ key, type, options }: Attribute, label: Label): DesiredChoice[] => {
  if (!key || (type !== 'LIST' && type !== 'TREE')) return [];
  const byUuid = new Map(options.map((option) => [option.uuid, option]));
  return inOrder(options).flatMap((option, ordernum) => {
    const name = type === 'TREE' ? option.path : option.key;
    if (!name) return [];
    return [
      {
        field: attributeChoiceField(key),
        value: choiceValue(name),
        display: label(option.names, option.key ?? name, labelLimits.choice),
        isActive: isOffered(option, byUuid),
        ordernum,
      },
    ];
  });
};

/** The input of the choices. */
export interface ChoiceSources {
  readonly mandates: readonly Mandate[];
  readonly patrolClasses: readonly PatrolClass[];
  readonly stations: readonly Station[];
  readonly attributes: readonly Attribute[];
  readonly usage: { readonly stations: ReadonlySet<string> };
}

/** Options by field; a field that our form refers to is included even without options. */
export const desiredChoices = (
  { mandates, patrolClasses, stations, attributes, usage }: ChoiceSources,
  label: Label,
): ReadonlyMap<string, readonly DesiredChoice[]> => {
  const fields = new Map<string, readonly DesiredChoice[]>([
    [coreFields.mandate, keyed(coreFields.mandate, mandates, label, (key) => key)],
    [coreFields.station, stationChoices(stations, usage.stations, label)],
    [coreFields.patrolClass, keyed(coreFields.patrolClass, patrolClasses, label, (key) => classLabels.get(key) ?? key)],
  ]);
  for (const attribute of attributes)
    if (attribute.key && (attribute.type === 'LIST' || attribute.type === 'TREE'))
      fields.set(attributeChoiceField(attribute.key), attributeChoices(attribute, label));
  return fields;
};
