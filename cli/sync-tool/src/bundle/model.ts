/** A migration bundle as it was read and checked (bundle contract, 2). Uuids are 32 lower-case hex digits, texts are as in the files. */

/** Labels by language code; missing, null and blank ones are left out. */
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

/** Who the bundle is, for records and comparisons. */
export interface BundleIdentity {
  readonly path: string;
  /** RFC 3339 with offset; its own date is the reference date. */
  readonly exportedAt: string;
  /** Of the bytes of `manifest.json`, hex. */
  readonly sha256: string;
}

/** A conservation area. `id` is its code. */
export interface Area {
  readonly uuid: string;
  readonly id: string;
  readonly name: string;
}

/** What `manifest.json` says of the whole. */
export interface Manifest extends BundleIdentity {
  readonly formatVersion: string;
  readonly area: Area;
  /** The name as it stands in the manifest, and the one that `Intl` makes of it. */
  readonly timezone: { readonly name: string; readonly canonical: string; readonly source: 'configured' | 'inferred' };
  readonly languages: readonly Language[];
}

interface Vocabulary {
  readonly names: Names;
  readonly isActive: boolean;
}

/** A way to move: becomes a patrol type. */
export interface Transport extends Vocabulary {
  readonly uuid: string;
  readonly key: string | null;
  readonly classKey: string | null;
  readonly requiresPilot: boolean;
  readonly iconKey: string | null;
}

/** A class of patrols. */
export interface PatrolClass extends Vocabulary {
  readonly key: string | null;
}

/** A mandate. */
export interface Mandate extends Vocabulary {
  readonly uuid: string;
  readonly key: string | null;
}

/** A station; it has no key. */
export interface Station extends Vocabulary {
  readonly uuid: string;
}

/** A team; only the checklist names it. */
export interface Team extends Vocabulary {
  readonly uuid: string;
  readonly key: string | null;
}

/** Kinds of custom patrol attributes that the sync knows. */
export type AttributeType = 'NUMERIC' | 'TEXT' | 'BOOLEAN' | 'DATE' | 'LIST' | 'TREE';

/** One option of a LIST, or one node of a TREE. */
export interface AttributeOption extends Vocabulary {
  readonly uuid: string;
  readonly key: string | null;
  readonly order: number;
  /** Dotted, of TREE nodes. */
  readonly path: string | null;
  readonly parentUuid: string | null;
}

/** A custom patrol attribute. `type` is null for one that the sync does not know: it is skipped. */
export interface Attribute extends Vocabulary {
  readonly uuid: string;
  readonly key: string | null;
  readonly type: AttributeType | null;
  readonly options: readonly AttributeOption[];
}

/** An employee. */
export interface Employee {
  readonly uuid: string;
  /** Staff id: text, leading zeros count, may repeat. */
  readonly id: string;
  readonly givenName: string;
  readonly familyName: string;
  /** Dates as `2019-03-01`. */
  readonly employment: { readonly start: string; readonly end: string | null };
  /** Null: said to be none; undefined: the record says nothing. */
  readonly agency: { readonly key: string | null; readonly names: Names } | null | undefined;
  readonly rank: Names | null | undefined;
  /** Undefined in bundles from before logins were flagged. */
  readonly hasExtLogin: boolean | undefined;
}

/** What patrols and legs refer to, by uuid. */
export interface Usage {
  readonly patrols: number;
  readonly stations: ReadonlySet<string>;
  readonly transports: ReadonlySet<string>;
  readonly mandates: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

/** Something that is not as it should be and stops nothing. `text` names the file, the line where there is one, and what follows. */
export interface BundleWarning {
  readonly text: string;
}

/** A bundle that may be planned from. Records are in the order of their files. */
export interface Bundle {
  readonly manifest: Manifest;
  readonly transports: readonly Transport[];
  readonly patrolClasses: readonly PatrolClass[];
  readonly mandates: readonly Mandate[];
  readonly stations: readonly Station[];
  readonly attributes: readonly Attribute[];
  readonly employees: readonly Employee[];
  readonly teams: readonly Team[];
  readonly usage: Usage;
  readonly warnings: readonly BundleWarning[];
}
