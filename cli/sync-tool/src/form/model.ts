/** Kinds of fields that the sync makes (site contract, 5.2). */
export type FormKind = 'text-long' | 'text-short' | 'number' | 'boolean' | 'date' | 'choice';

/** One of our fields. */
export interface FormField {
  /** `objective`, `ext_<key>` */
  readonly property: string;
  readonly title: string;
  readonly kind: FormKind;
  /** Of a choice: the choice field whose options it offers. */
  readonly choiceField?: string;
  readonly deprecated: boolean;
  /** The site's title and `deprecated` stay; those of other fields follow the plan. */
  readonly core: boolean;
}

/** Where a document breaks the site's rules, as `json.properties.station.anyOf.0`, and how. */
export interface Fault {
  readonly path: string;
  readonly text: string;
}

/** One thing that a merge does to the stored document, for a plan that people read. */
export type FormChange =
  | { readonly change: 'field-added'; readonly property: string; readonly title: string }
  | { readonly change: 'half-added'; readonly property: string; readonly half: 'json' | 'ui' }
  | { readonly change: 'kind-fixed'; readonly property: string; readonly from: string; readonly to: string }
  | { readonly change: 'options-fixed'; readonly property: string; readonly from: string; readonly to: string }
  | { readonly change: 'title-changed'; readonly property: string; readonly from: string; readonly to: string }
  | { readonly change: 'deprecated-changed'; readonly property: string; readonly to: boolean }
  | { readonly change: 'section-added'; readonly section: string }
  | { readonly change: 'section-shown'; readonly section: string }
  /** All that stood there gave way to ours; `dropped` are the properties that are gone. */
  | { readonly change: 'replaced'; readonly dropped: readonly string[] };

/** The section that our fields go to. */
export const ourSection = 'section-ext';
