import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The part of an exported bundle that the importer uses (contract of the exported bundle, 4 to 6). */
export interface ImportBundle {
  readonly manifest: {
    readonly conservation_area: { readonly uuid: string; readonly id: string; readonly name: string };
    readonly default_language: string;
  };
  readonly reference: {
    readonly patrol_types: readonly { readonly key: string; readonly active: boolean }[];
    readonly transports: readonly Transport[];
    readonly mandates: readonly Option[];
    readonly stations: readonly (Labelled & { readonly uuid: string; readonly active: boolean })[];
    readonly patrol_attributes: readonly Attribute[];
    readonly teams: readonly (Labelled & { readonly uuid: string })[];
    readonly employees: readonly Employee[];
  };
  readonly patrols: readonly Patrol[];
}

/** An object with labels by language. */
export interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly label: string | null;
}

/** A mandate, or an option of an attribute. */
export interface Option extends Labelled {
  readonly uuid: string;
  readonly key: string | null;
  readonly active: boolean;
}

export type Transport = Option;

/** A custom attribute of patrols. */
export interface Attribute extends Option {
  readonly key: string;
  readonly type: string;
  readonly options: readonly Option[];
}

/** A person. */
export interface Employee {
  readonly uuid: string;
  readonly id: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly active: boolean;
  /** The login flag, under a name with the word in it. */
  readonly [flag: string]: unknown;
}

/** A patrol with its legs. */
export interface Patrol {
  readonly uuid: string;
  readonly id: string | null;
  readonly patrol_type: string | null;
  readonly station_uuid: string | null;
  readonly team_uuid: string | null;
  readonly objective: string | null;
  readonly comment: string | null;
  readonly armed: boolean | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly legs: readonly Leg[];
}

/** A leg, which becomes a segment. */
export interface Leg {
  readonly uuid: string;
  readonly transport_uuid: string | null;
  readonly mandate_uuid: string | null;
  readonly members: readonly { readonly employee_uuid: string; readonly leader: boolean }[];
  readonly days: readonly { readonly start: string | null; readonly end: string | null }[];
  readonly waypoints: readonly Waypoint[];
}

/** A waypoint, whose observations become events. */
export interface Waypoint {
  readonly time: string | null;
  readonly location: readonly [longitude: number, latitude: number] | null;
  readonly observation_groups: readonly {
    readonly observations: readonly {
      readonly uuid: string;
      readonly category_hkey: string;
      readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
    }[];
  }[];
}

/** Reads a bundle whole, without checks: the product's reader has those. */
export const readImportBundle = async (folder: string): Promise<ImportBundle> => {
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));
  const { patrols } = (await read('patrols.json')) as Pick<ImportBundle, 'patrols'>;
  const [manifest, reference] = [await read('manifest.json'), await read('reference.json')];
  return { manifest, reference, patrols } as ImportBundle;
};

/** The stations that patrols name, and the members of all legs. */
export const usedBy = ({ patrols }: ImportBundle) => ({
  stations: new Set(patrols.flatMap(({ station_uuid: uuid }) => uuid ?? [])),
  members: new Set(
    patrols.flatMap(({ legs }) => legs.flatMap(({ members }) => members.map(({ employee_uuid: uuid }) => uuid))),
  ),
});
