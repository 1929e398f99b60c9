import type { EventType } from '@ranger-relay/site';
import type { Requirement } from '../bundle/patrols/requirements.ts';
import { valueOf } from './facts.ts';
import { findingOf, generalFinding, type Lack } from './finding.ts';
import type { SiteCheck, Sources } from './rehearse.ts';
import { needed } from './vocabulary-checks.ts';

const uuid = '[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}';

/** A path as values hold it: `animals.mammal.` is `animals_mammal`. */
const folded = (path: string): string =>
  path
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');

/** The values under which the type of a category is looked for, without those that name a data model by its uuid. */
const valuesOf = (path: string, word: string, area: string): string =>
  `${word}-ca-import_${folded(path)} or ${area}_${folded(path)}`;

/** The category that a type stands for: behind the word, the uuid of a data model, or that of the area; undefined for other types. */
const pathOf = (value: string, word: string, area: string): string | undefined => {
  const [, imported, owner, ofOwner] =
    new RegExp(`^(?:${word}-ca-import_(?:${uuid}_)?(.+)|(${uuid})_(.+))$`).exec(value.toLowerCase()) ?? [];
  if (imported !== undefined) return folded(imported);
  return owner?.replaceAll('-', '') === area ? folded(ofOwner ?? '') : undefined;
};

/** A category of observations and the type of their events; an active one where there are several. */
interface UsedType {
  readonly requirement: Requirement;
  readonly type: EventType | undefined;
}

/** The types of the events that observations become. */
export const eventTypesOf = (sources: Sources, present: readonly EventType[]): readonly UsedType[] => {
  const { word, bundle } = sources;
  const byPath = new Map<string, EventType>();
  for (const type of present) {
    const path = pathOf(type.value, word, bundle.manifest.area.uuid);
    if (path !== undefined && byPath.get(path)?.is_active !== true) byPath.set(path, type);
  }
  return needed(sources, 'event_type').map((requirement) => ({
    requirement,
    type: byPath.get(folded(requirement.key)),
  }));
};

const invisible = generalFinding({
  code: 'event_types',
  level: 'warning',
  who: 'operator',
  message: 'Not visible: a bundle of this format does not show which event types the observations need',
  remedy: 'Compare the data model of the external system with the event types of the site',
});

/** Types of the events that observations become. */
export const checkEventTypes: SiteCheck = (sources, facts) => {
  if (sources.bundle.manifest.format === 'own') return [invisible];
  const lacking = eventTypesOf(sources, valueOf(facts.eventTypes)).flatMap(({ requirement, type }): Lack[] => {
    if (type?.is_active) return [];
    const { key } = requirement;
    const wanted = valuesOf(key, sources.word, sources.bundle.manifest.area.uuid);
    const text = type === undefined ? `${key} has none, looked for as ${wanted}` : `${key}: ${type.value} is inactive`;
    return [{ text, requirement }];
  });
  return findingOf(
    {
      code: 'event_types',
      level: 'blocks',
      who: 'site_admin',
      message: 'Categories of observations have no active event type on the site',
      remedy:
        'Import the data model of the external system into the site with the importer, or create event types under these values; make them active, and let the token see them',
    },
    lacking,
  );
};

/** The type that holds the events of one waypoint together. */
export const checkCollectionType: SiteCheck = (sources, facts) => {
  const used = needed(sources, 'collection');
  if (used.length === 0) return [];
  if (valueOf(facts.eventTypes).some((type) => type.is_collection && type.is_active)) return [];
  return findingOf(
    {
      code: 'collection_type',
      level: 'warning',
      who: 'site_admin',
      message: 'Waypoints have several observations, and the site has no active event type for collections',
      remedy:
        'Create an active event type that is a collection (is_collection), or accept that their events are not held together',
    },
    used.map((requirement) => ({ text: 'waypoints of several observations', requirement })),
  );
};
