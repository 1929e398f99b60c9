import { describe, quote } from '../findings.ts';
import { type Attribute, hasOptions } from '../model.ts';
import { canonicalUuid } from '../values.ts';
import { optionKey, type Place, type RequirementCollector } from './requirements.ts';

interface KnownAttribute {
  readonly attribute: Attribute;
  /** Values of options, by key, path, uuid and value. */
  readonly options: ReadonlyMap<string, string>;
}

const optionsOf = ({ options }: Attribute): ReadonlyMap<string, string> =>
  new Map(
    options.flatMap(({ uuid, key, path, value }) =>
      value === null ? [] : [uuid, value, key, path].flatMap((name) => (name === null ? [] : [[name, value] as const])),
    ),
  );

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)));

/** Looks whether the values that patrols give to custom attributes are among those that the bundle defines. */
export class AttributeValues {
  readonly #byKey = new Map<string, KnownAttribute>();
  readonly #collector: RequirementCollector;

  constructor(attributes: readonly Attribute[], collector: RequirementCollector) {
    this.#collector = collector;
    for (const attribute of attributes)
      if (attribute.key !== null) this.#byKey.set(attribute.key, { attribute, options: optionsOf(attribute) });
  }

  /** Takes the value that the current patrol gives to an attribute; null stands for none. */
  take(key: string, value: unknown, place: Place): void {
    if (value === null || value === undefined || value === '') return;
    const known = this.#byKey.get(key);
    if (known === undefined)
      return this.#collector.fault('unknown_attribute', `the attribute ${quote(key)} does not exist`, place);
    const { attribute } = known;
    this.#collector.need('field', attribute.uuid);
    if (hasOptions(attribute)) for (const each of [value].flat()) this.#option(known, each, place);
    else if (attribute.type === 'NUMERIC' && !isNumeric(value))
      this.#collector.fault('text_in_number', `the attribute ${quote(key)} takes numbers, not ${kindOf(value)}`, place);
  }

  #option({ attribute: { key, choiceField }, options }: KnownAttribute, value: unknown, place: Place): void {
    const text = typeof value === 'string' ? value : '';
    const found = options.get(text) ?? options.get(text.replace(/\.$/, '')) ?? options.get(canonicalUuid(text) ?? '');
    if (found !== undefined && choiceField !== null) this.#collector.need('option', optionKey(choiceField, found));
    else
      this.#collector.fault(
        'unknown_option',
        `the attribute ${quote(key ?? '')} has no option for ${describe(value)}`,
        place,
      );
  }
}

const kindOf = (value: unknown): string => (typeof value === 'string' ? 'a text' : describe(value));
