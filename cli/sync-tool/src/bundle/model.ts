import type { PatrolRequirements } from './patrols/requirements.ts';

/** A migration bundle after reading and validation (bundle contract, 2). Uuids are 32 lower-case hex digits; texts are as in the files. */

/** Labels by language code, without missing, null and blank labels. */
export type Names = ReadonlyMap<string, string>;

/** One language of the bundle. */
export interface Language {
  readonly code: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly labelled: number;
  readonly total: number;
  /** 0 to 1. */
  readonly coverage: number;
}

/** A conservation area. `id` is its code. */
export interface Area {
  readonly uuid: string;
  readonly id: string;
  readonly name: string;
}

/** How the exporter knows the zone; `default`: nobody chose it. */
export type TimezoneSource = 'configured' | 'inferred' | 'default';

/** `own`: the bundle contract; `exported`: what the exporter of the external system writes. */
export type BundleFormat = 'own' | 'exported';

/** Numbers of days of legs: all, and those whose times are of a track, entered, of waypoints, or not known beyond the date. */
export interface TimeCoverage {
  readonly days: number;
  readonly track: number;
  readonly entered: number;
  readonly waypoints: number;
  readonly dateOnly: number;
}

/** The content of `manifest.json` that concerns the whole bundle. */
export interface Manifest {
  readonly path: string;
  /** RFC 3339 with offset; its local date is the reference date. */
  readonly exportedAt: string;
  /** SHA-256 of what was read, hex: of `manifest.json`, which has the hashes of the other files, or of all documents. */
  readonly sha256: string;
  readonly format: BundleFormat;
  readonly formatVersion: string;
  readonly area: Area;
  /** The name as in the manifest, and its canonical name according to `Intl`. */
  readonly timezone: { readonly name: string; readonly canonical: string; readonly source: TimezoneSource };
  readonly languages: readonly Language[];
  /** Code of the language without `--ext-language`; an exported bundle may name one that it does not list. */
  readonly defaultLanguage: string;
  /** Where the times of the days of legs come from; null where the manifest does not say. */
  readonly timeCoverage: TimeCoverage | null;
}

interface Vocabulary {
  readonly names: Names;
  readonly isActive: boolean;
}

/** What a key becomes on the site under the rules of the bundle's format; null for a record that is left out, as one without a key. */
interface Keyed extends Vocabulary {
  readonly key: string | null;
  readonly value: string | null;
}

/** A means of transport, which becomes a patrol type. */
export interface Transport extends Keyed {
  readonly uuid: string;
  readonly classKey: string | null;
  readonly requiresPilot: boolean;
  readonly iconKey: string | null;
}

/** A class of patrols. */
export type PatrolClass = Keyed;

/** A mandate. */
export interface Mandate extends Keyed {
  readonly uuid: string;
}

/** A station; it has no key. `isActive`: whether the site offers it, which also depends on its name and its use. */
export interface Station extends Vocabulary {
  readonly uuid: string;
}

/** A team; used only in the checklist. `isActive`: whether the site is to have it, where no patrol names it. */
export interface Team extends Vocabulary {
  readonly uuid: string;
  readonly key: string | null;
  /** Number of its members; null where the format does not say. */
  readonly members: number | null;
}

/** Types of custom patrol attributes that the sync supports; `MLIST`: several options of a list. */
export const attributeTypes = [
  'NUMERIC',
  'TEXT',
  'BOOLEAN',
  'DATE',
  'TIME',
  'DATETIME',
  'ATTACHMENT',
  'LIST',
  'TREE',
  'MLIST',
] as const;

export type AttributeType = (typeof attributeTypes)[number];

/** One option of a LIST, or one node of a TREE. */
export interface AttributeOption extends Keyed {
  readonly uuid: string;
  readonly order: number;
  /** Dotted path of a TREE node. */
  readonly path: string | null;
  readonly parentUuid: string | null;
}

/** A custom patrol attribute. `type` is null for an unsupported one, which is skipped. */
export interface Attribute extends Vocabulary {
  readonly uuid: string;
  readonly key: string | null;
  readonly type: AttributeType | null;
  /** Whether a field is made for it; one that the form has already is deprecated otherwise. */
  readonly hasField: boolean;
  /** Form property, and choice field of its options; null without a key. */
  readonly property: string | null;
  readonly choiceField: string | null;
  readonly options: readonly AttributeOption[];
}

/** Whether an attribute is answered by choosing. */
export const hasOptions = ({ type }: Pick<Attribute, 'type'>): boolean =>
  type === 'LIST' || type === 'TREE' || type === 'MLIST';

/** An employee. */
export interface Employee {
  readonly uuid: string;
  /** Staff id: a text in which leading zeros matter; not necessarily unique; null without one. */
  readonly id: string | null;
  readonly name: string;
  /** Employed at the time of the export. */
  readonly isActive: boolean;
  /** Null: the record states that there is none; undefined: the record does not say. */
  readonly agency: { readonly key: string | null; readonly names: Names } | null | undefined;
  readonly rank: Names | null | undefined;
  /** Undefined in bundles of formats without login flags. */
  readonly hasExtLogin: boolean | undefined;
}

/** The records that patrols and legs refer to, by uuid. */
export interface Usage {
  readonly patrols: number;
  readonly stations: ReadonlySet<string>;
  readonly transports: ReadonlySet<string>;
  readonly mandates: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
  /** Patrols that name a team, by its uuid. */
  readonly teams: ReadonlyMap<string, number>;
}

/** An irregularity that does not stop the run. `text` names the file, the line if there is one, and the consequence. */
export interface BundleWarning {
  readonly text: string;
}

/** A bundle that is valid for planning. Records are in the order of their files. */
export interface Bundle {
  readonly manifest: Manifest;
  /** Another word of the external system than that of the call, which its login flags have; undefined without one. */
  readonly otherWord?: string | undefined;
  readonly transports: readonly Transport[];
  readonly patrolClasses: readonly PatrolClass[];
  readonly mandates: readonly Mandate[];
  readonly stations: readonly Station[];
  readonly attributes: readonly Attribute[];
  readonly employees: readonly Employee[];
  readonly teams: readonly Team[];
  readonly usage: Usage;
  readonly requirements: PatrolRequirements;
  readonly warnings: readonly BundleWarning[];
}
