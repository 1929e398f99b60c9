import { isObject, parseExactJson } from '@ranger-relay/errors';

/** A JSON object with unknown members. */
export type Members = Record<string, unknown>;

export const isMembers = (value: unknown): value is Members => isObject(value);

/** Returns an own member of the object; undefined for any other name. */
export const member = (value: unknown, name: string): unknown =>
  isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Copies a value; numbers keep all digits. */
export const copyJson = <T>(value: T): T => parseExactJson(JSON.stringify(value)) as T;

/** One conditional part of a form: its fields, and the section that shows them when its condition holds. */
export interface Branch {
  readonly place: readonly PropertyKey[];
  readonly properties: Members;
  readonly section: string | undefined;
}

const sectionOf = (...values: readonly unknown[]): string | undefined => {
  const found = values.map((value) => member(value, 'x-section')).find((section) => typeof section === 'string');
  return found as string | undefined;
};

/** The conditional parts of a form that hold properties: `json.allOf[i].then.properties` (site contract, 5.1). */
export const branchesOf = (json: unknown): readonly Branch[] => {
  const all = member(json, 'allOf');
  if (!Array.isArray(all)) return [];
  return all.flatMap((item: unknown, index): Branch[] => {
    const then = member(item, 'then');
    const properties = member(then, 'properties');
    if (!isMembers(properties)) return [];
    const place = ['json', 'allOf', index, 'then', 'properties'];
    return [{ place, properties, section: sectionOf(item, then, ...Object.values(properties)) }];
  });
};

/** All JSON halves of a field: in the root and in conditional parts. */
export const jsonHalvesOf = (json: unknown, name: string): readonly unknown[] =>
  [member(json, 'properties'), ...branchesOf(json).map(({ properties }) => properties)].flatMap((properties) => {
    const found = member(properties, name);
    return found === undefined ? [] : [found];
  });

/** The UI halves of a field by key: its own, and for a collection those of its children (`collection.child`). */
export const uiHalvesOf = (ui: unknown, name: string): readonly (readonly [key: string, half: unknown])[] => {
  const fields = member(ui, 'fields');
  return Object.entries(isMembers(fields) ? fields : {}).filter(([key]) => key.split('.')[0] === name);
};

const ours = '/api/v2.0/schemas/choices.json?field=';
const known =
  /^\/api\/v2\.0\/schemas\/(?:choices\.json\?field=[^&#\s]+|(?:event_types|spatial_features|sources|subjects|users)\.json(?:\?\S*)?)$/;

/** The source of a choice field's options (site contract, 5.1, R). */
export const optionsOf = (choiceField: string): string => `${ours}${choiceField}`;

/** An option list with which the site has replaced a reference. */
export const isResolved = (value: unknown): value is Members =>
  isMembers(value) && Array.isArray(member(value, 'enum')) && Object.hasOwn(value, 'x-enumExtra');

/** An entry of `anyOf` that the site accepts: a reference to a known list, or a list that the site has resolved. */
export const isOptionList = (value: unknown): boolean => {
  if (isResolved(value)) return true;
  const ref = member(value, '$ref');
  return isMembers(value) && Object.keys(value).length === 1 && typeof ref === 'string' && known.test(ref);
};

/** Describes the source of a choice for the operator. */
export const optionsText = (property: unknown): string => {
  const list = member(property, 'anyOf');
  const [first] = Array.isArray(list) ? (list as unknown[]) : [];
  const ref = member(first, '$ref');
  if (typeof ref === 'string') return ref.startsWith(ours) ? ref.slice(ours.length) : ref;
  return member(property, 'enum') !== undefined || member(first, 'enum') !== undefined
    ? 'a list of options'
    : 'nothing';
};

/** Kinds of fields that the sync creates (site contract, 5.2). */
export type FormKind =
  | 'text-long'
  | 'text-short'
  | 'number'
  | 'boolean'
  | 'date'
  | 'time'
  | 'date-time'
  | 'choice'
  | 'choices'
  | 'attachment';

/** Properties of the fields that every form of ours has. */
export const coreProperties = ['objective', 'mandate', 'station', 'patrol_class', 'armed', 'comment'] as const;

/** One of our fields. */
export interface FormField {
  /** `objective`, `ext_<key>` */
  readonly property: string;
  readonly title: string;
  readonly kind: FormKind;
  /** For a choice: the choice field that provides its options. */
  readonly choiceField?: string;
  readonly deprecated: boolean;
  /** It is only marked as deprecated where the form has it, and never added. */
  readonly retired?: true;
  /** Whether the site's title and `deprecated` are kept; for other fields they follow the plan. */
  readonly core: boolean;
}

/** A violation of the site's rules: its location, such as `json.properties.station.anyOf.0`, and a description. */
export interface Fault {
  readonly path: string;
  readonly text: string;
}

/** One change that a merge makes to the stored document, as shown in a plan. */
export type FormChange =
  | { readonly change: 'field-added'; readonly property: string; readonly title: string; readonly deprecated: boolean }
  | { readonly change: 'half-added'; readonly property: string; readonly half: 'json' | 'ui' }
  | { readonly change: 'kind-fixed'; readonly property: string; readonly from: string; readonly to: string }
  | { readonly change: 'options-fixed'; readonly property: string; readonly from: string; readonly to: string }
  | { readonly change: 'title-changed'; readonly property: string; readonly from: string; readonly to: string }
  | { readonly change: 'deprecated-changed'; readonly property: string; readonly to: boolean }
  | { readonly change: 'section-added'; readonly section: string }
  | { readonly change: 'section-shown'; readonly section: string }
  /** The whole content was replaced by our form; `dropped` lists the removed properties. */
  | { readonly change: 'replaced'; readonly dropped: readonly string[] };

/** A section for our fields, as it is made. */
export interface NewSection {
  readonly id: string;
  readonly label: string;
}

/** The section for our fields in a form that shows none of them. */
export const ourSection: NewSection = { id: 'section-ext', label: '' };
